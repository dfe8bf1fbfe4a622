;@ stage: probe
;@ level: 3
; A small loop is copied, so that one probe serves several turns; each copy keeps its own exit.

define i64 @_ZN4mine4find17h0a3b1c2d4e5f6071E(ptr %bytes) #0 {
entry:
  br label %loop
loop:
  %index = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr i8, ptr %bytes, i64 %index
  %byte = load i8, ptr %place
  %next = add i64 %index, 1
  %found = icmp eq i8 %byte, 10
  br i1 %found, label %exit, label %loop
exit:
  ret i64 %index
}

attributes #0 = { "concord-probed" }

;= @concord_line = external hidden thread_local(localexec) global [32 x i32]
;=
;= define i64 @_ZN4mine4find17h0a3b1c2d4e5f6071E(ptr %bytes) #0 {
;= entry:
;=   br label %loop
;=
;= loop:
;=   %index = phi i64 [ 0, %entry ], [ %next.7, %concord_probe.exit ]
;=   %place = getelementptr i8, ptr %bytes, i64 %index
;=   %byte = load i8, ptr %place, align 1
;=   %next = add nuw nsw i64 %index, 1
;=   %found = icmp eq i8 %byte, 10
;=   br i1 %found, label %exit, label %loop.1, !llvm.loop !0, !concord.unrolled !2
;=
;= loop.1:
;=   %place.1 = getelementptr i8, ptr %bytes, i64 %next
;=   %byte.1 = load i8, ptr %place.1, align 1
;=   %next.1 = add nuw nsw i64 %index, 2
;=   %found.1 = icmp eq i8 %byte.1, 10
;=   br i1 %found.1, label %exit, label %loop.2, !llvm.loop !0, !concord.unrolled !2
;=
;= loop.2:
;=   %place.2 = getelementptr i8, ptr %bytes, i64 %next.1
;=   %byte.2 = load i8, ptr %place.2, align 1
;=   %next.2 = add nuw nsw i64 %index, 3
;=   %found.2 = icmp eq i8 %byte.2, 10
;=   br i1 %found.2, label %exit, label %loop.3, !llvm.loop !0, !concord.unrolled !2
;=
;= loop.3:
;=   %place.3 = getelementptr i8, ptr %bytes, i64 %next.2
;=   %byte.3 = load i8, ptr %place.3, align 1
;=   %next.3 = add nuw nsw i64 %index, 4
;=   %found.3 = icmp eq i8 %byte.3, 10
;=   br i1 %found.3, label %exit, label %loop.4, !llvm.loop !0, !concord.unrolled !2
;=
;= loop.4:
;=   %place.4 = getelementptr i8, ptr %bytes, i64 %next.3
;=   %byte.4 = load i8, ptr %place.4, align 1
;=   %next.4 = add nuw nsw i64 %index, 5
;=   %found.4 = icmp eq i8 %byte.4, 10
;=   br i1 %found.4, label %exit, label %loop.5, !llvm.loop !0, !concord.unrolled !2
;=
;= loop.5:
;=   %place.5 = getelementptr i8, ptr %bytes, i64 %next.4
;=   %byte.5 = load i8, ptr %place.5, align 1
;=   %next.5 = add nuw nsw i64 %index, 6
;=   %found.5 = icmp eq i8 %byte.5, 10
;=   br i1 %found.5, label %exit, label %loop.6, !llvm.loop !0, !concord.unrolled !2
;=
;= loop.6:
;=   %place.6 = getelementptr i8, ptr %bytes, i64 %next.5
;=   %byte.6 = load i8, ptr %place.6, align 1
;=   %next.6 = add nuw nsw i64 %index, 7
;=   %found.6 = icmp eq i8 %byte.6, 10
;=   br i1 %found.6, label %exit, label %loop.7, !llvm.loop !0, !concord.unrolled !2
;=
;= loop.7:
;=   %line.i = load volatile i32, ptr @concord_line, align 4
;=   %armed.i = icmp ne i32 %line.i, 0
;=   br i1 %armed.i, label %0, label %concord_probe.exit, !prof !3
;=
;= 0:
;=   call preserve_mostcc void @concord_probe_slow()
;=   br label %concord_probe.exit
;=
;= concord_probe.exit:
;=   %place.7 = getelementptr i8, ptr %bytes, i64 %next.6
;=   %byte.7 = load i8, ptr %place.7, align 1
;=   %next.7 = add i64 %index, 8
;=   %found.7 = icmp eq i8 %byte.7, 10
;=   br i1 %found.7, label %exit, label %loop, !llvm.loop !4, !concord.unrolled !2
;=
;= exit:
;=   %index.lcssa = phi i64 [ %index, %loop ], [ %next, %loop.1 ], [ %next.1, %loop.2 ], [ %next.2, %loop.3 ], [ %next.3, %loop.4 ], [ %next.4, %loop.5 ], [ %next.5, %loop.6 ], [ %next.6, %concord_probe.exit ]
;=   ret i64 %index.lcssa
;= }
;=
;= attributes #0 = { "concord-probed" }
;=
;= !0 = distinct !{!0, !1}
;= !1 = !{!"llvm.loop.unroll.count", i32 8}
;= !2 = !{}
;= !3 = !{!"branch_weights", i32 1, i32 1048576}
;= !4 = distinct !{!4, !5}
;= !5 = !{!"llvm.loop.unroll.disable"}
