;@ stage: probe
; A call that must be the last thing of its function takes no probe behind it.

declare i64 @finish(i64)

define i64 @_ZN4mine4last17h0a3b1c2d4e5f6071E(i64 %value) #0 {
  %result = musttail call i64 @finish(i64 %value)
  ret i64 %result
}

attributes #0 = { "concord-probed" }

;= define i64 @_ZN4mine4last17h0a3b1c2d4e5f6071E(i64 %value) #0 {
;=   %result = musttail call i64 @finish(i64 %value)
;=   ret i64 %result
;= }
;=
;= attributes #0 = { "concord-probed" }
