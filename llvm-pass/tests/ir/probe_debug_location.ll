;@ stage: probe
; Inserted code has the source line of the code behind it, or line 0 of its function; LLVM would drop all debug
; information of the module otherwise.

declare void @work(ptr)

define void @_ZN4mine3run17h0a3b1c2d4e5f6071E(ptr %flag) #0 !dbg !5 {
entry:
  br label %loop, !dbg !6
loop:
  %value = load volatile i32, ptr %flag, !dbg !6
  %set = icmp ne i32 %value, 0, !dbg !6
  br i1 %set, label %exit, label %loop, !dbg !7
exit:
  call void @work(ptr %flag), !dbg !7
  ret void
}

attributes #0 = { "concord-probed" }

!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !2, emissionKind: LineTablesOnly)
!2 = !DIFile(filename: "main.rs", directory: "/src")
!3 = !DISubroutineType(types: !4)
!4 = !{}
!5 = distinct !DISubprogram(name: "run", scope: !2, file: !2, line: 1, type: !3, unit: !1, spFlags: DISPFlagDefinition)
!6 = !DILocation(line: 3, column: 9, scope: !5)
!7 = !DILocation(line: 4, column: 5, scope: !5)

;= @concord_line = external hidden thread_local(localexec) global [32 x i32]
;=
;= define void @_ZN4mine3run17h0a3b1c2d4e5f6071E(ptr %flag) #0 !dbg !3 {
;= entry:
;=   br label %loop, !dbg !6
;=
;= loop:
;=   %value = load volatile i32, ptr %flag, align 4, !dbg !6
;=   %set = icmp ne i32 %value, 0, !dbg !6
;=   br i1 %set, label %exit, label %loop.1, !dbg !7, !llvm.loop !8, !concord.unrolled !5
;=
;= loop.1:
;=   %value.1 = load volatile i32, ptr %flag, align 4, !dbg !6
;=   %set.1 = icmp ne i32 %value.1, 0, !dbg !6
;=   br i1 %set.1, label %exit, label %loop.2, !dbg !7, !llvm.loop !8, !concord.unrolled !5
;=
;= loop.2:
;=   %value.2 = load volatile i32, ptr %flag, align 4, !dbg !6
;=   %set.2 = icmp ne i32 %value.2, 0, !dbg !6
;=   br i1 %set.2, label %exit, label %loop.3, !dbg !7, !llvm.loop !8, !concord.unrolled !5
;=
;= loop.3:
;=   %value.3 = load volatile i32, ptr %flag, align 4, !dbg !6
;=   %set.3 = icmp ne i32 %value.3, 0, !dbg !6
;=   br i1 %set.3, label %exit, label %loop.4, !dbg !7, !llvm.loop !8, !concord.unrolled !5
;=
;= loop.4:
;=   %value.4 = load volatile i32, ptr %flag, align 4, !dbg !6
;=   %set.4 = icmp ne i32 %value.4, 0, !dbg !6
;=   br i1 %set.4, label %exit, label %loop.5, !dbg !7, !llvm.loop !8, !concord.unrolled !5
;=
;= loop.5:
;=   %value.5 = load volatile i32, ptr %flag, align 4, !dbg !6
;=   %set.5 = icmp ne i32 %value.5, 0, !dbg !6
;=   br i1 %set.5, label %exit, label %loop.6, !dbg !7, !llvm.loop !8, !concord.unrolled !5
;=
;= loop.6:
;=   %value.6 = load volatile i32, ptr %flag, align 4, !dbg !6
;=   %set.6 = icmp ne i32 %value.6, 0, !dbg !6
;=   br i1 %set.6, label %exit, label %loop.7, !dbg !7, !llvm.loop !8, !concord.unrolled !5
;=
;= loop.7:
;=   %line.i = load volatile i32, ptr @concord_line, align 4, !dbg !6
;=   %armed.i = icmp ne i32 %line.i, 0, !dbg !6
;=   br i1 %armed.i, label %0, label %concord_probe.exit, !dbg !6, !prof !10
;=
;= 0:
;=   call preserve_mostcc void @concord_probe_slow(), !dbg !6
;=   br label %concord_probe.exit, !dbg !6
;=
;= concord_probe.exit:
;=   %value.7 = load volatile i32, ptr %flag, align 4, !dbg !6
;=   %set.7 = icmp ne i32 %value.7, 0, !dbg !6
;=   br i1 %set.7, label %exit, label %loop, !dbg !7, !llvm.loop !11, !concord.unrolled !5
;=
;= exit:
;=   call void @work(ptr %flag), !dbg !7
;=   %line.i1 = load volatile i32, ptr @concord_line, align 4, !dbg !13
;=   %armed.i2 = icmp ne i32 %line.i1, 0, !dbg !13
;=   br i1 %armed.i2, label %1, label %concord_probe.exit3, !dbg !13, !prof !10
;=
;= 1:
;=   call preserve_mostcc void @concord_probe_slow(), !dbg !13
;=   br label %concord_probe.exit3, !dbg !13
;=
;= concord_probe.exit3:
;=   ret void
;= }
;=
;= attributes #0 = { "concord-probed" }
;=
;= !llvm.module.flags = !{!0}
;= !llvm.dbg.cu = !{!1}
;=
;= !0 = !{i32 2, !"Debug Info Version", i32 3}
;= !1 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !2, isOptimized: false, runtimeVersion: 0, emissionKind: LineTablesOnly)
;= !2 = !DIFile(filename: "main.rs", directory: "/src")
;= !3 = distinct !DISubprogram(name: "run", scope: !2, file: !2, line: 1, type: !4, spFlags: DISPFlagDefinition, unit: !1)
;= !4 = !DISubroutineType(types: !5)
;= !5 = !{}
;= !6 = !DILocation(line: 3, column: 9, scope: !3)
;= !7 = !DILocation(line: 4, column: 5, scope: !3)
;= !8 = distinct !{!8, !9}
;= !9 = !{!"llvm.loop.unroll.count", i32 8}
;= !10 = !{!"branch_weights", i32 1, i32 1048576}
;= !11 = distinct !{!11, !12}
;= !12 = !{!"llvm.loop.unroll.disable"}
;= !13 = !DILocation(line: 0, scope: !3)
