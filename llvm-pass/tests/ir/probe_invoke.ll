;@ stage: probe
; A long call of native code that may unwind: the probe gets a block on its normal edge, and the phis of the
; block behind it take their value from there.

declare i32 @compress(ptr)
declare void @short_cleanup(ptr) #0
declare i32 @rust_eh_personality(...)

define i32 @_ZN4mine4pack17h0a3b1c2d4e5f6071E(ptr %data, i1 %wanted) #0 personality ptr @rust_eh_personality {
entry:
  br i1 %wanted, label %pack, label %join
pack:
  %size = invoke i32 @compress(ptr %data) to label %join unwind label %cleanup
join:
  %result = phi i32 [ 0, %entry ], [ %size, %pack ]
  ret i32 %result
cleanup:
  %exception = landingpad { ptr, i32 } cleanup
  call void @short_cleanup(ptr %data)
  resume { ptr, i32 } %exception
}

attributes #0 = { "concord-probed" }

;= @concord_line = external hidden thread_local(localexec) global [32 x i32]
;=
;= define i32 @_ZN4mine4pack17h0a3b1c2d4e5f6071E(ptr %data, i1 %wanted) #0 personality ptr @rust_eh_personality {
;= entry:
;=   br i1 %wanted, label %pack, label %join
;=
;= pack:
;=   %size = invoke i32 @compress(ptr %data)
;=           to label %0 unwind label %cleanup
;=
;= 0:
;=   %line.i = load volatile i32, ptr @concord_line, align 4
;=   %armed.i = icmp ne i32 %line.i, 0
;=   br i1 %armed.i, label %1, label %concord_probe.exit, !prof !0
;=
;= 1:
;=   call preserve_mostcc void @concord_probe_slow()
;=   br label %concord_probe.exit
;=
;= concord_probe.exit:
;=   br label %join
;=
;= join:
;=   %2 = phi i32 [ 0, %entry ], [ %size, %concord_probe.exit ]
;=   ret i32 %2
;=
;= cleanup:
;=   %exception = landingpad { ptr, i32 }
;=           cleanup
;=   call void @short_cleanup(ptr %data)
;=   resume { ptr, i32 } %exception
;= }
;=
;= attributes #0 = { "concord-probed" }
;=
;= !0 = !{!"branch_weights", i32 1, i32 1048576}
