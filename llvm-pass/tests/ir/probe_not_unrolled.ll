;@ stage: probe
;@ level: 3
; Not where the function is to be small.

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

attributes #0 = { optsize "concord-probed" }

;= @concord_line = external hidden thread_local(localexec) global [32 x i32]
;=
;= define i64 @_ZN4mine4find17h0a3b1c2d4e5f6071E(ptr %bytes) #0 {
;= entry:
;=   br label %loop
;=
;= loop:
;=   %index = phi i64 [ 0, %entry ], [ %next, %concord_probe.exit ]
;=   %place = getelementptr i8, ptr %bytes, i64 %index
;=   %byte = load i8, ptr %place, align 1
;=   %next = add i64 %index, 1
;=   %found = icmp eq i8 %byte, 10
;=   %line.i = load volatile i32, ptr @concord_line, align 4
;=   %armed.i = icmp ne i32 %line.i, 0
;=   br i1 %armed.i, label %0, label %concord_probe.exit, !prof !0
;=
;= 0:
;=   call preserve_mostcc void @concord_probe_slow()
;=   br label %concord_probe.exit
;=
;= concord_probe.exit:
;=   br i1 %found, label %exit, label %loop
;=
;= exit:
;=   %index.lcssa = phi i64 [ %index, %concord_probe.exit ]
;=   ret i64 %index.lcssa
;= }
;=
;= attributes #0 = { optsize "concord-probed" }
;=
;= !0 = !{!"branch_weights", i32 1, i32 1048576}
