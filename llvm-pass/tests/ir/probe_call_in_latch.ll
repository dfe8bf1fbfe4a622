;@ stage: probe
; A long call in the block that closes the loop: the probe behind it is the loop's probe too. `malloc` is short.

declare i64 @read(i32, ptr, i64)
declare ptr @malloc(i64)

define void @_ZN4mine5drain17h0a3b1c2d4e5f6071E(i32 %file) #0 {
entry:
  %buffer = call ptr @malloc(i64 64)
  br label %loop
loop:
  %count = call i64 @read(i32 %file, ptr %buffer, i64 64)
  %more = icmp sgt i64 %count, 0
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

attributes #0 = { "concord-probed" }

;= @concord_line = external hidden thread_local(localexec) global [32 x i32]
;=
;= define void @_ZN4mine5drain17h0a3b1c2d4e5f6071E(i32 %file) #0 {
;= entry:
;=   %buffer = call ptr @malloc(i64 64)
;=   br label %loop
;=
;= loop:
;=   %count = call i64 @read(i32 %file, ptr %buffer, i64 64)
;=   %line.i = load volatile i32, ptr @concord_line, align 4
;=   %armed.i = icmp ne i32 %line.i, 0
;=   br i1 %armed.i, label %0, label %concord_probe.exit, !prof !0
;=
;= 0:
;=   call preserve_mostcc void @concord_probe_slow()
;=   br label %concord_probe.exit
;=
;= concord_probe.exit:
;=   %more = icmp sgt i64 %count, 0
;=   br i1 %more, label %loop, label %exit
;=
;= exit:
;=   ret void
;= }
;=
;= attributes #0 = { "concord-probed" }
;=
;= !0 = !{!"branch_weights", i32 1, i32 1048576}
