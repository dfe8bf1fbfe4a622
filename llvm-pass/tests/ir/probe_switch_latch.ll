;@ stage: probe
; A loop that a switch closes, twice from one block: one probe.

define void @_ZN4mine3run17h0a3b1c2d4e5f6071E(ptr %code) #0 {
entry:
  br label %step
step:
  %at = phi ptr [ %code, %entry ], [ %next, %step ], [ %next, %step ]
  %next = getelementptr i8, ptr %at, i64 1
  %byte = load i8, ptr %at
  switch i8 %byte, label %exit [
    i8 1, label %step
    i8 2, label %step
  ]
exit:
  ret void
}

attributes #0 = { "concord-probed" }

;= @concord_line = external hidden thread_local(localexec) global [32 x i32]
;=
;= define void @_ZN4mine3run17h0a3b1c2d4e5f6071E(ptr %code) #0 {
;= entry:
;=   br label %step
;=
;= step:
;=   %at = phi ptr [ %code, %entry ], [ %next, %concord_probe.exit ], [ %next, %concord_probe.exit ]
;=   %next = getelementptr i8, ptr %at, i64 1
;=   %byte = load i8, ptr %at, align 1
;=   %line.i = load volatile i32, ptr @concord_line, align 4
;=   %armed.i = icmp ne i32 %line.i, 0
;=   br i1 %armed.i, label %0, label %concord_probe.exit, !prof !0
;=
;= 0:
;=   call preserve_mostcc void @concord_probe_slow()
;=   br label %concord_probe.exit
;=
;= concord_probe.exit:
;=   switch i8 %byte, label %exit [
;=     i8 1, label %step
;=     i8 2, label %step
;=   ]
;=
;= exit:
;=   ret void
;= }
;=
;= attributes #0 = { "concord-probed" }
;=
;= !0 = !{!"branch_weights", i32 1, i32 1048576}
