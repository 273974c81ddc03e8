/* SPDX-License-Identifier: MIT */
/*
 * C++ as it is at -O2: std::sort with std::function, virtual calls, std::map, many functions of one
 * name.
 *
 * Spans:
 *	sort_by	1	main
 *	total	2	main
 *	Square::area	20	total
 *	Line::area	20	total
 */
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#define APART __attribute__((noipa))

namespace
{

struct Shape {
	virtual ~Shape() = default;
	virtual int area() const = 0;
};

struct Square : Shape {
	int side;
	explicit Square(int side) : side(side)
	{
	}
	APART int area() const override
	{
		return side * side;
	}
};

struct Line : Shape {
	APART int area() const override
	{
		return 0;
	}
};

APART int total(const std::vector<std::unique_ptr<Shape>> &shapes)
{
	int sum = 0;

	for (const auto &shape : shapes)
		sum += shape->area();
	return sum;
}

APART void sort_by(std::vector<int> &numbers, const std::function<bool(int, int)> &less)
{
	std::sort(numbers.begin(), numbers.end(), less);
}

} // namespace

int main()
{
	std::vector<std::unique_ptr<Shape>> shapes;
	std::vector<int> numbers;
	std::map<int, int> counts;
	int compared = 0;

	for (int i = 0; i < 20; i++)
		if (i % 2)
			shapes.push_back(std::make_unique<Square>(i));
		else
			shapes.push_back(std::make_unique<Line>());
	for (int i = 0; i < 60; i++)
		numbers.push_back(i * 37 % 61);
	sort_by(numbers, [&](int a, int b) {
		compared++;
		return a > b;
	});
	for (int n : numbers)
		counts[n % 7] += n;
	std::printf("stl %d %d %d %zu\n", total(shapes) + total(shapes), numbers[0], compared > 60,
		    counts.size());
	return 0;
}
