;@ stage: guard
; Behind `catch_unwind` the depth becomes what it was before, whatever the panic left unfinished.

declare i32 @rust_eh_personality(...)

define internal i32 @__rust_try(ptr %body, ptr %data, ptr %on_panic) personality ptr @rust_eh_personality {
entry:
  invoke void %body(ptr %data) to label %then unwind label %catch
then:
  ret i32 0
catch:
  %exception = landingpad { ptr, i32 } catch ptr null
  %payload = extractvalue { ptr, i32 } %exception, 0
  call void %on_panic(ptr %data, ptr %payload)
  ret i32 1
}

;= define internal i32 @__rust_try(ptr %body, ptr %data, ptr %on_panic) personality ptr @rust_eh_personality {
;= entry:
;=   %0 = call i32 @concord_guard_save()
;=   invoke void %body(ptr %data)
;=           to label %then unwind label %catch
;=
;= then:
;=   ret i32 0
;=
;= catch:
;=   %exception = landingpad { ptr, i32 }
;=           catch ptr null
;=   call void @concord_guard_restore(i32 %0)
;=   %payload = extractvalue { ptr, i32 } %exception, 0
;=   call void %on_panic(ptr %data, ptr %payload)
;=   ret i32 1
;= }
