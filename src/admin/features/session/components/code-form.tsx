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

/** The second step of the login: the app's six digits, the device's key, or a code that was kept on paper. */
export function CodeForm({ factors }: { factors: SecondFactor[] }) {
  const show = useCompleteSignIn()
  const apps = factors.filter(({ kind }) => kind === 'app')
  const key = factors.find(({ kind }) => kind === 'key')
  const [onPaper, setOnPaper] = useState(false)
  const { register, handleSubmit, formState, setFocus, reset } = useForm({
    defaultValues: { factorId: apps[0]?.id ?? '', code: '', recoveryCode: '' },
  })
  const { errors } = formState
  const field = onPaper ? 'recoveryCode' : 'code'
  const isTyped = onPaper || apps.length > 0
  useEffect(() => {
    if (isTyped) setFocus(field)
  }, [isTyped, field, setFocus])
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
      {apps.length > 1 && !onPaper ? (
        <Field label="Aplicativo">
          {(control) => (
            <Select
              options={apps.map(({ id, name }) => [id, name] as const)}
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
      ) : isTyped ? (
        <AppCodeField error={errors.code?.message} {...register('code', APP_CODE_RULE)} />
      ) : null}
      {isTyped ? (
        <Button type="submit" pending={show.isPending} className="mt-1.5 min-h-13 text-base">
          {show.isPending ? 'Conferindo...' : 'Confirmar'}
        </Button>
      ) : null}
      {key && !onPaper ? (
        <Button
          look={isTyped ? 'outline' : 'solid'}
          className="min-h-13 text-base"
          aria-disabled={show.isPending}
          onClick={() => show.isPending || show.mutate({ keyFactorId: key.id })}
        >
          {show.isPending ? 'Conferindo...' : 'Usar a chave de acesso'}
        </Button>
      ) : null}
      <QuietButton className="-mt-2" onClick={swap}>
        {onPaper ? (apps.length > 0 ? 'Usar o aplicativo' : 'Voltar') : 'Usar um código de recuperação'}
      </QuietButton>
    </form>
  )
}
