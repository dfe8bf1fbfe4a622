;@ stage: probe
; An interpreter's computed goto: one indirect jump closes several loops.

define void @interpret(ptr %code, ptr %table) #0 {
entry:
  br label %dispatch
dispatch:
  %at = phi ptr [ %code, %entry ], [ %next, %add ], [ %next, %sub ]
  %next = getelementptr i8, ptr %at, i64 1
  %byte = load i8, ptr %at
  %slot = getelementptr ptr, ptr %table, i8 %byte
  %target = load ptr, ptr %slot
  indirectbr ptr %target, [label %add, label %sub, label %exit]
add:
  call void asm sideeffect "nop", ""()
  br label %dispatch
sub:
  call void asm sideeffect "nop", ""()
  br label %dispatch
exit:
  ret void
}

attributes #0 = { "concord-probed" }

;= @concord_line = external hidden thread_local(localexec) global [32 x i32]
;=
;= define void @interpret(ptr %code, ptr %table) #0 {
;= entry:
;=   br label %dispatch
;=
;= dispatch:
;=   %at = phi ptr [ %code, %entry ], [ %next, %concord_probe.exit ]
;=   %next = getelementptr i8, ptr %at, i64 1
;=   %byte = load i8, ptr %at, align 1
;=   %slot = getelementptr ptr, ptr %table, i8 %byte
;=   %target = load ptr, ptr %slot, align 8
;=   indirectbr ptr %target, [label %add, label %sub, label %exit]
;=
;= add:
;=   call void asm sideeffect "nop", ""()
;=   br label %dispatch.backedge
;=
;= dispatch.backedge:
;=   %line.i = load volatile i32, ptr @concord_line, align 4
;=   %armed.i = icmp ne i32 %line.i, 0
;=   br i1 %armed.i, label %0, label %concord_probe.exit, !prof !0
;=
;= 0:
;=   call preserve_mostcc void @concord_probe_slow()
;=   br label %concord_probe.exit
;=
;= concord_probe.exit:
;=   br label %dispatch, !llvm.loop !1, !concord.unrolled !3
;=
;= sub:
;=   call void asm sideeffect "nop", ""()
;=   br label %dispatch.backedge
;=
;= exit:
;=   ret void
;= }
;=
;= attributes #0 = { "concord-probed" }
;=
;= !0 = !{!"branch_weights", i32 1, i32 1048576}
;= !1 = distinct !{!1, !2}
;= !2 = !{!"llvm.loop.unroll.count", i32 8}
;= !3 = !{}
