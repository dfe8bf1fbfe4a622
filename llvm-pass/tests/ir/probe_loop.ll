;@ stage: probe
; A loop of one block: the probe stands before the jump back.

define i64 @_ZN4mine3sum17h0a3b1c2d4e5f6071E(ptr %at, i64 %count) #0 {
entry:
  br label %loop
loop:
  %index = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %more, %loop ]
  %place = getelementptr i64, ptr %at, i64 %index
  %value = load i64, ptr %place
  %more = add i64 %sum, %value
  %next = add i64 %index, 1
  %done = icmp eq i64 %next, %count
  br i1 %done, label %exit, label %loop
exit:
  ret i64 %more
}

attributes #0 = { "concord-probed" }

;= @concord_line = external hidden thread_local(localexec) global [32 x i32]
;=
;= define i64 @_ZN4mine3sum17h0a3b1c2d4e5f6071E(ptr %at, i64 %count) #0 {
;= entry:
;=   br label %loop
;=
;= loop:
;=   %index = phi i64 [ 0, %entry ], [ %next, %concord_probe.exit ]
;=   %sum = phi i64 [ 0, %entry ], [ %more, %concord_probe.exit ]
;=   %place = getelementptr i64, ptr %at, i64 %index
;=   %value = load i64, ptr %place, align 4
;=   %more = add i64 %sum, %value
;=   %next = add i64 %index, 1
;=   %done = icmp eq i64 %next, %count
;=   %line.i = load volatile i32, ptr @concord_line, align 4
;=   %armed.i = icmp ne i32 %line.i, 0
;=   br i1 %armed.i, label %0, label %concord_probe.exit, !prof !0
;=
;= 0:
;=   call preserve_mostcc void @concord_probe_slow()
;=   br label %concord_probe.exit
;=
;= concord_probe.exit:
;=   br i1 %done, label %exit, label %loop
;=
;= exit:
;=   ret i64 %more
;= }
;=
;= attributes #0 = { "concord-probed" }
;=
;= !0 = !{!"branch_weights", i32 1, i32 1048576}
