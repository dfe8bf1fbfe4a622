;@ stage: probe
; A `while` loop with `continue`: both ways back have a probe.

define i64 @_ZN4mine5while17h0a3b1c2d4e5f6071E(i64 %start) #0 {
entry:
  br label %head
head:
  %value = phi i64 [ %start, %entry ], [ %half, %even ], [ %triple, %odd ]
  %done = icmp ult i64 %value, 2
  br i1 %done, label %exit, label %body
body:
  %bit = and i64 %value, 1
  %is.even = icmp eq i64 %bit, 0
  br i1 %is.even, label %even, label %odd
even:
  %half = lshr i64 %value, 1
  br label %head
odd:
  %three = mul i64 %value, 3
  %triple = add i64 %three, 1
  br label %head
exit:
  ret i64 %value
}

attributes #0 = { "concord-probed" }

;= @concord_line = external hidden thread_local(localexec) global [32 x i32]
;=
;= define i64 @_ZN4mine5while17h0a3b1c2d4e5f6071E(i64 %start) #0 {
;= entry:
;=   br label %head
;=
;= head:
;=   %value = phi i64 [ %start, %entry ], [ %half, %concord_probe.exit3 ], [ %triple, %concord_probe.exit ]
;=   %done = icmp ult i64 %value, 2
;=   br i1 %done, label %exit, label %body
;=
;= body:
;=   %bit = and i64 %value, 1
;=   %is.even = icmp eq i64 %bit, 0
;=   br i1 %is.even, label %even, label %odd
;=
;= even:
;=   %half = lshr i64 %value, 1
;=   %line.i1 = load volatile i32, ptr @concord_line, align 4
;=   %armed.i2 = icmp ne i32 %line.i1, 0
;=   br i1 %armed.i2, label %0, label %concord_probe.exit3, !prof !0
;=
;= 0:
;=   call preserve_mostcc void @concord_probe_slow()
;=   br label %concord_probe.exit3
;=
;= concord_probe.exit3:
;=   br label %head
;=
;= odd:
;=   %three = mul i64 %value, 3
;=   %triple = add i64 %three, 1
;=   %line.i = load volatile i32, ptr @concord_line, align 4
;=   %armed.i = icmp ne i32 %line.i, 0
;=   br i1 %armed.i, label %1, label %concord_probe.exit, !prof !0
;=
;= 1:
;=   call preserve_mostcc void @concord_probe_slow()
;=   br label %concord_probe.exit
;=
;= concord_probe.exit:
;=   br label %head
;=
;= exit:
;=   ret i64 %value
;= }
;=
;= attributes #0 = { "concord-probed" }
;=
;= !0 = !{!"branch_weights", i32 1, i32 1048576}
