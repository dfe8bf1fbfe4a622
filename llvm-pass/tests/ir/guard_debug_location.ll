;@ stage: guard
; The marks have the line of the code behind them; the block of a split edge too.

declare i32 @pthread_mutex_lock(ptr)
declare i32 @__gxx_personality_v0(...)

define void @_ZN4mine3runEv(ptr %mutex) personality ptr @__gxx_personality_v0 !dbg !5 {
  %status = invoke i32 @pthread_mutex_lock(ptr %mutex) to label %exit unwind label %cleanup, !dbg !6
exit:
  ret void, !dbg !7
cleanup:
  %exception = landingpad { ptr, i32 } cleanup, !dbg !7
  resume { ptr, i32 } %exception, !dbg !7
}

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

;= define void @_ZN4mine3runEv(ptr %mutex) personality ptr @__gxx_personality_v0 !dbg !3 {
;=   call void @concord_guard_enter(), !dbg !6
;=   %status = invoke i32 @pthread_mutex_lock(ptr %mutex)
;=           to label %1 unwind label %cleanup, !dbg !6
;=
;= 1:
;=   %2 = icmp ne i32 %status, 0, !dbg !7
;=   call void @concord_guard_exit_if(i1 %2), !dbg !7
;=   br label %exit, !dbg !7
;=
;= exit:
;=   ret void, !dbg !7
;=
;= cleanup:
;=   %exception = landingpad { ptr, i32 }
;=           cleanup, !dbg !7
;=   resume { ptr, i32 } %exception, !dbg !7
;= }
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
