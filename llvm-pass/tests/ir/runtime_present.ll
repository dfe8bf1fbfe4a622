;@ stage: probe
; The runtime defines the words and slow paths in assembly; the module declares them, hidden.

module asm ".globl concord_line"

define void @spin(ptr %flag) #0 {
entry:
  br label %loop
loop:
  %value = load volatile i32, ptr %flag
  %set = icmp ne i32 %value, 0
  br i1 %set, label %exit, label %loop
exit:
  ret void
}

attributes #0 = { "concord-probed" }

;= module asm ".globl concord_line"
;=
;= @concord_line = external hidden thread_local(localexec) global [32 x i32]
;=
;= define void @spin(ptr %flag) #0 {
;= entry:
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
;=   br i1 %armed.i, label %0, label %concord_probe.exit, !prof !3
;=
;= 0:
;=   call preserve_mostcc void @concord_probe_slow()
;=   br label %concord_probe.exit
;=
;= concord_probe.exit:
;=   %value.7 = load volatile i32, ptr %flag, align 4
;=   %set.7 = icmp ne i32 %value.7, 0
;=   br i1 %set.7, label %exit, label %loop, !llvm.loop !4, !concord.unrolled !2
;=
;= exit:
;=   ret void
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
