;@ stage: probe
; A function that calls itself has a probe at its entry, behind its allocas; its caller has none.

define i64 @_ZN4mine3fib17h0a3b1c2d4e5f6071E(i64 %n) #0 {
entry:
  %slot = alloca i64
  store i64 %n, ptr %slot
  %small = icmp ult i64 %n, 2
  br i1 %small, label %leaf, label %split
split:
  %a = sub i64 %n, 1
  %left = call i64 @_ZN4mine3fib17h0a3b1c2d4e5f6071E(i64 %a)
  %b = sub i64 %n, 2
  %right = call i64 @_ZN4mine3fib17h0a3b1c2d4e5f6071E(i64 %b)
  %sum = add i64 %left, %right
  ret i64 %sum
leaf:
  ret i64 %n
}

define i64 @_ZN4mine4main17h0a3b1c2d4e5f6071E() #0 {
  %result = call i64 @_ZN4mine3fib17h0a3b1c2d4e5f6071E(i64 30)
  ret i64 %result
}

attributes #0 = { "concord-probed" }

;= @concord_line = external hidden thread_local(localexec) global [32 x i32]
;=
;= define i64 @_ZN4mine3fib17h0a3b1c2d4e5f6071E(i64 %n) #0 {
;= entry:
;=   %slot = alloca i64, align 8
;=   %line.i = load volatile i32, ptr @concord_line, align 4
;=   %armed.i = icmp ne i32 %line.i, 0
;=   br i1 %armed.i, label %0, label %concord_probe.exit, !prof !0
;=
;= 0:
;=   call preserve_mostcc void @concord_probe_slow()
;=   br label %concord_probe.exit
;=
;= concord_probe.exit:
;=   store i64 %n, ptr %slot, align 4
;=   %small = icmp ult i64 %n, 2
;=   br i1 %small, label %leaf, label %split
;=
;= split:
;=   %a = sub i64 %n, 1
;=   %left = call i64 @_ZN4mine3fib17h0a3b1c2d4e5f6071E(i64 %a)
;=   %b = sub i64 %n, 2
;=   %right = call i64 @_ZN4mine3fib17h0a3b1c2d4e5f6071E(i64 %b)
;=   %sum = add i64 %left, %right
;=   ret i64 %sum
;=
;= leaf:
;=   ret i64 %n
;= }
;=
;= define i64 @_ZN4mine4main17h0a3b1c2d4e5f6071E() #0 {
;=   %result = call i64 @_ZN4mine3fib17h0a3b1c2d4e5f6071E(i64 30)
;=   ret i64 %result
;= }
;=
;= attributes #0 = { "concord-probed" }
;=
;= !0 = !{!"branch_weights", i32 1, i32 1048576}
