;@ stage: probe
;@ runtime: absent
; A link without the runtime: the words and slow paths are defined here, hidden, and never armed.

declare void @concord_guard_enter()
declare void @concord_guard_exit()

define void @spin(ptr %flag) #0 {
entry:
  call void @concord_guard_enter()
  br label %loop
loop:
  %value = load volatile i32, ptr %flag
  %set = icmp ne i32 %value, 0
  br i1 %set, label %exit, label %loop
exit:
  call void @concord_guard_exit()
  ret void
}

attributes #0 = { "concord-probed" }

;= @concord_line = hidden thread_local(localexec) global [32 x i32] zeroinitializer, align 128
;= @concord_guard = hidden thread_local(localexec) global [32 x i32] [i32 1, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0], align 128
;=
;= define void @spin(ptr %flag) #0 {
;= entry:
;=   %0 = load i32, ptr @concord_guard, align 4
;=   %1 = add i32 %0, 2
;=   store i32 %1, ptr @concord_guard, align 4
;=   br label %loop
;=
;= loop:
;=   %value = load volatile i32, ptr %flag, align 4
;=   %set = icmp ne i32 %value, 0
;=   br i1 %set, label %exit, label %loop.1, !llvm.loop !0, !concord.unrolled !2
;=
;= loop.1:
;=   %value.1 = load volatile i32, ptr %flag, align 4
;=   %set.1 = icmp ne i32 %value.1, 0
;=   br i1 %set.1, label %exit, label %loop.2, !llvm.loop !0, !concord.unrolled !2
;=
;= loop.2:
;=   %value.2 = load volatile i32, ptr %flag, align 4
;=   %set.2 = icmp ne i32 %value.2, 0
;=   br i1 %set.2, label %exit, label %loop.3, !llvm.loop !0, !concord.unrolled !2
;=
;= loop.3:
;=   %value.3 = load volatile i32, ptr %flag, align 4
;=   %set.3 = icmp ne i32 %value.3, 0
;=   br i1 %set.3, label %exit, label %loop.4, !llvm.loop !0, !concord.unrolled !2
;=
;= loop.4:
;=   %value.4 = load volatile i32, ptr %flag, align 4
;=   %set.4 = icmp ne i32 %value.4, 0
;=   br i1 %set.4, label %exit, label %loop.5, !llvm.loop !0, !concord.unrolled !2
;=
;= loop.5:
;=   %value.5 = load volatile i32, ptr %flag, align 4
;=   %set.5 = icmp ne i32 %value.5, 0
;=   br i1 %set.5, label %exit, label %loop.6, !llvm.loop !0, !concord.unrolled !2
;=
;= loop.6:
;=   %value.6 = load volatile i32, ptr %flag, align 4
;=   %set.6 = icmp ne i32 %value.6, 0
;=   br i1 %set.6, label %exit, label %loop.7, !llvm.loop !0, !concord.unrolled !2
;=
;= loop.7:
;=   %line.i = load volatile i32, ptr @concord_line, align 4
;=   %armed.i = icmp ne i32 %line.i, 0
;=   br i1 %armed.i, label %2, label %concord_probe.exit, !prof !3
;=
;= 2:
;=   call preserve_mostcc void @concord_probe_slow()
;=   br label %concord_probe.exit
;=
;= concord_probe.exit:
;=   %value.7 = load volatile i32, ptr %flag, align 4
;=   %set.7 = icmp ne i32 %value.7, 0
;=   br i1 %set.7, label %exit, label %loop, !llvm.loop !4, !concord.unrolled !2
;=
;= exit:
;=   %3 = load i32, ptr @concord_guard, align 4
;=   %4 = sub i32 %3, 2
;=   store i32 %4, ptr @concord_guard, align 4
;=   %due.i = icmp ule i32 %3, 2
;=   br i1 %due.i, label %5, label %concord_guard_exit.exit, !prof !3
;=
;= 5:
;=   call preserve_mostcc void @concord_guard_slow()
;=   br label %concord_guard_exit.exit
;=
;= concord_guard_exit.exit:
;=   ret void
;= }
;=
;= define hidden preserve_mostcc void @concord_probe_slow() #1 {
;=   ret void
;= }
;=
;= define hidden preserve_mostcc void @concord_guard_slow() #1 {
;=   ret void
;= }
;=
;= attributes #0 = { "concord-probed" }
;= attributes #1 = { cold nounwind }
;=
;= !0 = distinct !{!0, !1}
;= !1 = !{!"llvm.loop.unroll.count", i32 8}
;= !2 = !{}
;= !3 = !{!"branch_weights", i32 1, i32 1048576}
;= !4 = distinct !{!4, !5}
;= !5 = !{!"llvm.loop.unroll.disable"}
