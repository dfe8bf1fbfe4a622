;@ stage: reshape
;@ level: 3
; The code of each level names its own line and, as inlined code does, the call that it stands for.

define i64 @work(i64 %n) #0 !dbg !4 {
entry:
  %small = icmp ult i64 %n, 2, !dbg !7
  br i1 %small, label %end, label %loop, !dbg !7
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %next = add i64 %i, 1, !dbg !8
  %again = icmp ult i64 %next, %n, !dbg !8
  br i1 %again, label %loop, label %call, !dbg !8
call:
  %half = lshr i64 %n, 1, !dbg !9
  %result = call i64 @work(i64 %half), !dbg !9
  ret i64 %result, !dbg !9
end:
  ret i64 %n, !dbg !7
}

attributes #0 = { "concord-probed" }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "a.rs", directory: "/")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "work", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{}
!7 = !DILocation(line: 2, scope: !4)
!8 = !DILocation(line: 3, scope: !4)
!9 = !DILocation(line: 4, scope: !4)

;= define i64 @work(i64 %n) #0 !dbg !3 {
;= entry:
;=   %small = icmp ult i64 %n, 2, !dbg !6
;=   br i1 %small, label %end, label %loop, !dbg !6
;=
;= loop:
;=   %i = phi i64 [ 0, %entry ], [ %next, %loop ]
;=   %next = add i64 %i, 1, !dbg !7
;=   %again = icmp ult i64 %next, %n, !dbg !7
;=   br i1 %again, label %loop, label %call, !dbg !7
;=
;= call:
;=   %half = lshr i64 %n, 1, !dbg !8
;=   %0 = icmp ult i64 %half, 2, !dbg !9
;=   br i1 %0, label %work.leaf.exit, label %1, !dbg !9
;=
;= 1:
;=   %2 = call i64 @work(i64 %half), !dbg !8
;=   br label %work.leaf.exit, !dbg !8
;=
;= work.leaf.exit:
;=   %common.ret.op.i = phi i64 [ %2, %1 ], [ %half, %call ], !dbg !8
;=   ret i64 %common.ret.op.i, !dbg !8
;=
;= end:
;=   ret i64 %n, !dbg !6
;= }
;=
;= attributes #0 = { "concord-probed" }
;=
;= !llvm.dbg.cu = !{!0}
;= !llvm.module.flags = !{!2}
;=
;= !0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !1, isOptimized: false, runtimeVersion: 0, emissionKind: LineTablesOnly)
;= !1 = !DIFile(filename: "a.rs", directory: "/")
;= !2 = !{i32 2, !"Debug Info Version", i32 3}
;= !3 = distinct !DISubprogram(name: "work", scope: null, file: !1, line: 1, type: !4, spFlags: DISPFlagDefinition, unit: !0)
;= !4 = !DISubroutineType(types: !5)
;= !5 = !{}
;= !6 = !DILocation(line: 2, scope: !3)
;= !7 = !DILocation(line: 3, scope: !3)
;= !8 = !DILocation(line: 4, scope: !3)
;= !9 = !DILocation(line: 2, scope: !3, inlinedAt: !10)
;= !10 = distinct !DILocation(line: 4, scope: !3)
