import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { APP_CODE_RULE, AppCodeField } from '../../../components/app-code-field.tsx'
import { Button } from '../../../components/button.tsx'
import { FailureBox } from '../../../components/failure-box.tsx'
import { CONTROL, Field } from '../../../components/field.tsx'
import { useCompleteSignIn } from '../api/complete-sign-in.ts'
import type { SecondFactor } from '../api/pending-factors.ts'
import { QUIET_LINK } from './door-frame.tsx'

/** The second step of the login: the app's six digits, or a code that was kept on paper. */
export function CodeForm({ factors }: { factors: SecondFactor[] }) {
  const show = useCompleteSignIn()
  const [onPaper, setOnPaper] = useState(false)
  const { register, handleSubmit, formState, setFocus, reset } = useForm({
    defaultValues: { factorId: factors[0]?.id ?? '', code: '', recoveryCode: '' },
  })
  const { errors } = formState
  const field = onPaper ? 'recoveryCode' : 'code'
  useEffect(() => setFocus(field), [field, setFocus])
  const submit = handleSubmit(({ factorId, code, recoveryCode }) =>
    show.mutate(onPaper ? { recoveryCode } : { factorId, code }, {
      onError: () => setFocus(field, { shouldSelect: true }),
    }),
  )
  const swap = () => {
    setOnPaper(!onPaper)
    show.reset()
    reset()
  }
  return (
    <form onSubmit={submit} noValidate className="grid gap-4.5">
      <FailureBox error={show.error} fallback="Não foi possível conferir o código." />
      {factors.length > 1 && !onPaper ? (
        <Field label="Aplicativo">
          {(control) => (
            <select className={`${CONTROL} select-arrow pr-10`} {...control} {...register('factorId')}>
              {factors.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
      ) : null}
      {onPaper ? (
        <Field
          label="Código de recuperação"
          error={errors.recoveryCode?.message}
          hint="Cada código serve uma única vez."
        >
          {(control) => (
            <input
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              placeholder="xxxxx-xxxxx"
              className={CONTROL}
              {...control}
              {...register('recoveryCode', { required: 'Digite um código de recuperação.' })}
            />
          )}
        </Field>
      ) : (
        <AppCodeField error={errors.code?.message} {...register('code', APP_CODE_RULE)} />
      )}
      <Button type="submit" disabled={show.isPending} className="mt-1.5 min-h-13 text-base">
        {show.isPending ? 'Conferindo...' : 'Confirmar'}
      </Button>
      <button type="button" className={`${QUIET_LINK} -mt-2`} onClick={swap}>
        {onPaper ? 'Usar o aplicativo' : 'Usar um código de recuperação'}
      </button>
    </form>
  )
}
