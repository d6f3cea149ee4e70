import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { APP_CODE_RULE, AppCodeField } from '#admin/components/app-code-field.tsx'
import { Button } from '#admin/components/button.tsx'
import { FailureBox } from '#admin/components/failure-box.tsx'
import { Field } from '#admin/components/field.tsx'
import { Input } from '#admin/components/input.tsx'
import { QuietButton } from '#admin/components/quiet-button.tsx'
import { Select } from '#admin/components/select.tsx'
import { useCompleteSignIn } from '../api/complete-sign-in.ts'
import type { SecondFactor } from '../api/pending-factors.ts'

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
            <Select
              options={factors.map(({ id, name }) => [id, name] as const)}
              {...control}
              {...register('factorId')}
            />
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
            <Input
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              placeholder="xxxxx-xxxxx"
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
      <QuietButton className="-mt-2" onClick={swap}>
        {onPaper ? 'Usar o aplicativo' : 'Usar um código de recuperação'}
      </QuietButton>
    </form>
  )
}
