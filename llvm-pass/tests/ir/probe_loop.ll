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
;=   %0 = sub i64 %count, 1
;=   %1 = call i64 @llvm.umin.i64(i64 %0, i64 82)
;=   %2 = add i64 1, %1
;=   br label %outer
;=
;= outer:
;=   %near = phi i64 [ %2, %entry ], [ %8, %concord_probe.exit ]
;=   %index.outer = phi i64 [ 0, %entry ], [ %next, %concord_probe.exit ]
;=   %sum.outer = phi i64 [ 0, %entry ], [ %more, %concord_probe.exit ]
;=   br label %loop
;=
;= loop:
;=   %index = phi i64 [ %index.outer, %outer ], [ %next, %loop ]
;=   %sum = phi i64 [ %sum.outer, %outer ], [ %more, %loop ]
;=   %place = getelementptr i64, ptr %at, i64 %index
;=   %value = load i64, ptr %place, align 4
;=   %more = add i64 %sum, %value
;=   %next = add i64 %index, 1
;=   %3 = icmp eq i64 %next, %near
;=   br i1 %3, label %test, label %loop, !concord.bound !0
;=
;= test:
;=   %4 = icmp eq i64 %next, %count
;=   br i1 %4, label %exit, label %chunk, !prof !1
;=
;= chunk:
;=   %5 = add i64 %next, 1
;=   %6 = sub i64 %count, %5
;=   %7 = call i64 @llvm.umin.i64(i64 %6, i64 249)
;=   %8 = add i64 %5, %7
;=   %line.i = load volatile i32, ptr @concord_line, align 4
;=   %armed.i = icmp ne i32 %line.i, 0
;=   br i1 %armed.i, label %9, label %concord_probe.exit, !prof !2
;=
;= 9:
;=   call preserve_mostcc void @concord_probe_slow()
;=   br label %concord_probe.exit
;=
;= concord_probe.exit:
;=   br label %outer
;=
;= exit:
;=   %10 = phi i64 [ %more, %test ]
;=   ret i64 %10
;= }
;=
;= attributes #0 = { "concord-probed" }
;=
;= !0 = !{i32 250, i32 83}
;= !1 = !{!"branch_weights", i32 1048576, i32 1}
;= !2 = !{!"branch_weights", i32 1, i32 1048576}
