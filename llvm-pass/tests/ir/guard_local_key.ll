;@ stage: guard
; The closure given to a thread-local is a region; so are initialisers. A probe before the address is taken is harmless.

declare void @closure(ptr)

define i32 @_RINvMs2_NtNtCsjrHSEGnQ3l9_3std6thread5localINtB6_8LocalKeyINtNtCsgEmfK2I1SDS_4core4cell4CellmEE8try_withNCNvCs30x0kSY1adC_1s3tls0mEB1I_(ptr %key) {
  %gone = icmp eq ptr %key, null
  br i1 %gone, label %error, label %ok
ok:
  call void @closure(ptr %key)
  ret i32 0
error:
  ret i32 1
}

define void @"_ZN3std6thread5local17LocalKey$LT$T$GT$15initialize_with17h0a3b1c2d4e5f6071E"(ptr %key) {
  ret void
}

define void @"_ZN3std6thread5local17LocalKey$LT$T$GT$4with17h0a3b1c2d4e5f6071E"(ptr %key) {
  ret void
}

;= define i32 @_RINvMs2_NtNtCsjrHSEGnQ3l9_3std6thread5localINtB6_8LocalKeyINtNtCsgEmfK2I1SDS_4core4cell4CellmEE8try_withNCNvCs30x0kSY1adC_1s3tls0mEB1I_(ptr %key) {
;=   call void @concord_guard_enter()
;=   %gone = icmp eq ptr %key, null
;=   br i1 %gone, label %error, label %ok
;=
;= ok:
;=   call void @closure(ptr %key)
;=   call void @concord_guard_exit()
;=   ret i32 0
;=
;= error:
;=   call void @concord_guard_exit()
;=   ret i32 1
;= }
;=
;= define void @"_ZN3std6thread5local17LocalKey$LT$T$GT$15initialize_with17h0a3b1c2d4e5f6071E"(ptr %key) {
;=   call void @concord_guard_enter()
;=   call void @concord_guard_exit()
;=   ret void
;= }
;=
;= define void @"_ZN3std6thread5local17LocalKey$LT$T$GT$4with17h0a3b1c2d4e5f6071E"(ptr %key) {
;=   ret void
;= }
