(* SPDX-License-Identifier: MIT *)
(* Exceptions of OCaml: through calls, past a handler of another, raised again, with a finally, and
   from the library. *)

exception Deep of int

let sum = ref 0
let[@inline never] mark i = sum := !sum + i

let[@inline never] rec deep n =
  if n = 0 then raise (Deep 3)
  else begin
    mark n;
    deep (n - 1) + 1
  end

let[@inline never] catches n = try deep n with Deep k -> mark k; 7

let[@inline never] passes_by n =
  try try deep n with Not_found -> mark 1; 1 with Deep _ -> mark 2; 2

let[@inline never] again n =
  try try deep n with Deep k as e -> mark k; raise e with Deep _ -> mark 4; 3

let[@inline never] at_last n =
  try Fun.protect ~finally:(fun () -> mark 9) (fun () -> deep n)
  with Deep _ -> mark 5; 1

let[@inline never] finds n =
  try List.find (fun x -> mark x; x = n) [ 1; 2; 3 ] with Not_found -> mark 6; 0

let[@inline never] reads n =
  try int_of_string (if n mod 2 = 0 then "12" else "zz") with Failure _ -> mark 8; 1

let () =
  for n = 0 to 4 do
    sum := !sum + catches n + passes_by n + again n + at_last n + finds n + reads n
  done;
  Printf.printf "raise %d\n" !sum
