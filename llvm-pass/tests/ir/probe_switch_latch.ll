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
;=   %at = phi ptr [ %code, %entry ], [ %next.7, %concord_probe.exit ]
;=   %next = getelementptr i8, ptr %at, i64 1
;=   %byte = load i8, ptr %at, align 1
;=   switch i8 %byte, label %exit [
;=     i8 1, label %step.backedge
;=     i8 2, label %step.backedge
;=   ]
;=
;= step.backedge:
;=   %next.1 = getelementptr i8, ptr %next, i64 1
;=   %byte.1 = load i8, ptr %next, align 1
;=   switch i8 %byte.1, label %exit [
;=     i8 1, label %step.backedge.1
;=     i8 2, label %step.backedge.1
;=   ]
;=
;= step.backedge.1:
;=   %next.2 = getelementptr i8, ptr %next.1, i64 1
;=   %byte.2 = load i8, ptr %next.1, align 1
;=   switch i8 %byte.2, label %exit [
;=     i8 1, label %step.backedge.2
;=     i8 2, label %step.backedge.2
;=   ]
;=
;= step.backedge.2:
;=   %next.3 = getelementptr i8, ptr %next.2, i64 1
;=   %byte.3 = load i8, ptr %next.2, align 1
;=   switch i8 %byte.3, label %exit [
;=     i8 1, label %step.backedge.3
;=     i8 2, label %step.backedge.3
;=   ]
;=
;= step.backedge.3:
;=   %next.4 = getelementptr i8, ptr %next.3, i64 1
;=   %byte.4 = load i8, ptr %next.3, align 1
;=   switch i8 %byte.4, label %exit [
;=     i8 1, label %step.backedge.4
;=     i8 2, label %step.backedge.4
;=   ]
;=
;= step.backedge.4:
;=   %next.5 = getelementptr i8, ptr %next.4, i64 1
;=   %byte.5 = load i8, ptr %next.4, align 1
;=   switch i8 %byte.5, label %exit [
;=     i8 1, label %step.backedge.5
;=     i8 2, label %step.backedge.5
;=   ]
;=
;= step.backedge.5:
;=   %next.6 = getelementptr i8, ptr %next.5, i64 1
;=   %byte.6 = load i8, ptr %next.5, align 1
;=   switch i8 %byte.6, label %exit [
;=     i8 1, label %step.backedge.6
;=     i8 2, label %step.backedge.6
;=   ]
;=
;= step.backedge.6:
;=   %next.7 = getelementptr i8, ptr %next.6, i64 1
;=   %byte.7 = load i8, ptr %next.6, align 1
;=   switch i8 %byte.7, label %exit [
;=     i8 1, label %step.backedge.7
;=     i8 2, label %step.backedge.7
;=   ]
;=
;= step.backedge.7:
;=   %line.i = load volatile i32, ptr @concord_line, align 4
;=   %armed.i = icmp ne i32 %line.i, 0
;=   br i1 %armed.i, label %0, label %concord_probe.exit, !prof !0
;=
;= 0:
;=   call preserve_mostcc void @concord_probe_slow()
;=   br label %concord_probe.exit
;=
;= concord_probe.exit:
;=   br label %step, !llvm.loop !1, !concord.unrolled !3
;=
;= exit:
;=   ret void
;= }
;=
;= attributes #0 = { "concord-probed" }
;=
;= !0 = !{!"branch_weights", i32 1, i32 1048576}
;= !1 = distinct !{!1, !2}
;= !2 = !{!"llvm.loop.unroll.disable"}
;= !3 = !{}
