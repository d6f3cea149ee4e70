import type { UseFormReturn } from 'react-hook-form'
import { Button } from '#admin/components/button.tsx'
import { Field } from '#admin/components/field.tsx'
import { Input } from '#admin/components/input.tsx'
import { formatMinute } from '#admin/lib/format-date.ts'
import { ACCESS_TOKEN_LABELS, type PixelType } from '#contract/pixel.ts'
import type { PixelForm } from '../api/save-pixel.ts'
import { deliveryOf } from './sending-form.ts'

const WHERE: Partial<Record<PixelType, string>> = {
  meta: 'Gere no Gerenciador de Eventos da Meta, em Configurações, API de Conversões.',
  google_analytics:
    'Crie no Google Analytics, em Administrador, Fluxos de dados, Chaves secretas da API do Measurement Protocol.',
  custom: 'Começa com whsec_ e é o mesmo de quem recebe: prova que a chamada veio daqui.',
}
const SEALED = 'Fica cifrado e nunca volta para a tela.'

interface SecretFieldProps {
  form: UseFormReturn<PixelForm>
  /** When the stored one was written; null while that is not known. */
  storedAt: string | null
  startsHere: boolean
}

/** The token, API secret or signing secret: written, never read. Typing replaces it; it goes only by a click on "Remover". */
export function SecretField({ form, storedAt, startsHere }: SecretFieldProps) {
  const [type, delivery, storedFor] = form.watch(['type', 'delivery', 'stored_secret'])
  const label = ACCESS_TOKEN_LABELS[type]
  const isStored = storedFor === type
  if (label === undefined) return null
  if (deliveryOf({ type, delivery }) === 'browser')
    return isStored ? <RestingSecret form={form} label={label} storedAt={storedAt} /> : null
  return (
    <Field
      label={label}
      error={form.formState.errors.secrets?.[type]?.message}
      hint={
        isStored
          ? `${describeStored(storedAt)} Para trocar, cole outro. Para remover, escolha o envio Navegador.`
          : `${WHERE[type]} ${SEALED}`
      }
    >
      {(control) => (
        <Input
          {...control}
          {...form.register(`secrets.${type}`)}
          {...(startsHere ? { 'data-autofocus': true } : {})}
          // No password field: a browser would offer, or fill in, the administrator's own.
          type="text"
          autoComplete="off"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          data-1p-ignore
          data-lpignore="true"
          placeholder={isStored ? '•••••••• guardado, ninguém pode ler' : undefined}
          className="font-mono [-webkit-text-security:disc] placeholder:font-sans"
        />
      )}
    </Field>
  )
}

function describeStored(storedAt: string | null): string {
  return storedAt === null ? 'Guardado e cifrado.' : `Guardado em ${formatMinute(storedAt)} e cifrado.`
}

interface RestingSecretProps extends Pick<SecretFieldProps, 'form' | 'storedAt'> {
  label: string
}

function RestingSecret({ form, label, storedAt }: RestingSecretProps) {
  const forgets = form.watch('forgets_secret')
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <p className="min-w-0 flex-[1_1_16rem] text-[0.9375rem]">
        <span className="font-semibold">{label}</span>
        <span role="status" className="block text-sm text-text-2">
          {forgets ? 'Será removido ao salvar.' : `${describeStored(storedAt)} Não é usado com este envio.`}
        </span>
      </p>
      <Button
        look="outline"
        aria-label={`${forgets ? 'Manter' : 'Remover'}: ${label}`}
        onClick={() => form.setValue('forgets_secret', !forgets, { shouldDirty: true })}
      >
        {forgets ? 'Manter' : 'Remover'}
      </Button>
    </div>
  )
}
