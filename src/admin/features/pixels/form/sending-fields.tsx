import { useId } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { Button } from '#admin/components/button.tsx'
import { ChoiceCard, Field, FormField } from '#admin/components/form.tsx'
import { Input } from '#admin/components/inputs.tsx'
import { formatMinute } from '#admin/lib/format.ts'
import {
  ACCESS_TOKEN_LABELS,
  DELIVERY_CHOICES,
  DELIVERY_LABELS,
  type PixelDelivery,
  type PixelType,
} from '#contract/pixel.ts'
import { deliveryOf } from '../sending.ts'
import type { PixelForm } from './schema.ts'

interface SendingFieldsProps {
  form: UseFormReturn<PixelForm>
  storedAt: string | null
  /** Whoever comes to mend the sending begins here. */
  startsHere: boolean
}

/** How events reach the vendor, and what the server needs for it. Nothing where only a browser can. */
export function SendingFields({ form, storedAt, startsHere }: SendingFieldsProps) {
  const [type, delivery] = form.watch(['type', 'delivery'])
  if (DELIVERY_CHOICES[type].length < 2) return null
  const byServer = deliveryOf({ type, delivery }) !== 'browser'
  return (
    <>
      <DeliveryChoice form={form} startsHere={startsHere && !byServer} />
      {type === 'custom' && byServer ? (
        <FormField
          form={form}
          name="webhook_url"
          label="Endereço do webhook"
          hint="Público e com https. Recebe um POST por conversão."
        >
          {(control) => (
            <Input
              type="url"
              inputMode="url"
              placeholder="https://exemplo.com.br/conversoes"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              className="font-mono placeholder:font-sans"
              {...control}
            />
          )}
        </FormField>
      ) : null}
      {type === 'meta' && byServer ? <EmailSwitch form={form} /> : null}
      <SecretField form={form} storedAt={storedAt} startsHere={startsHere && byServer} />
    </>
  )
}

/** What each way means for whom, in a sentence. */
const MEANINGS: Record<PixelType, Partial<Record<PixelDelivery, string>>> = {
  meta: {
    browser: 'O script da Meta roda na página. Bloqueadores tiram parte das visitas.',
    server: 'Nenhum script da Meta na página: nada a bloquear, nada em que confiar.',
    both: 'As duas cópias levam o mesmo código, e a Meta conta uma vez.',
  },
  google_analytics: {
    browser: 'O script do Google roda na página. Bloqueadores tiram parte das visitas.',
    server:
      'Nenhum script do Google na página. Só com este protocolo os relatórios ficam parciais, sem vínculo com o Google Ads, e o Google não confirma o que recebe.',
  },
  google_tag_manager: {},
  custom: {
    browser: 'O código acima roda na página.',
    server:
      'Nada roda na página. Cada conversão vai assinada para o seu endereço, no padrão Standard Webhooks.',
  },
}

const RECOMMENDED: Partial<Record<PixelType, PixelDelivery>> = { meta: 'server' }

interface DeliveryChoiceProps {
  form: UseFormReturn<PixelForm>
  /** Whoever comes to mend the sending begins here when there is nothing else to fill in. */
  startsHere: boolean
}

/** "Envio": who tells the vendor. */
function DeliveryChoice({ form, startsHere }: DeliveryChoiceProps) {
  const [type, delivery] = form.watch(['type', 'delivery'])
  const id = useId()
  const current = deliveryOf({ type, delivery })
  const error = form.formState.errors.delivery?.message
  return (
    <fieldset aria-describedby={error ? `${id}-error` : undefined} className="grid grid-cols-1 gap-2">
      <legend className="pb-1.5 text-[0.9375rem] font-semibold">Envio</legend>
      {DELIVERY_CHOICES[type].map((choice) => (
        <ChoiceCard
          key={choice}
          name={id}
          value={choice}
          label={DELIVERY_LABELS[choice]}
          meaning={MEANINGS[type][choice]}
          mark={RECOMMENDED[type] === choice ? 'Recomendado' : null}
          checked={choice === current}
          onChange={() => {
            form.setValue('delivery', choice, { shouldDirty: true })
            form.clearErrors('delivery')
          }}
          {...(startsHere && choice === current ? { 'data-autofocus': true } : {})}
        />
      ))}
      {error ? (
        <p id={`${id}-error`} role="alert" ref={reveal} className="text-sm text-bad">
          {error}
        </p>
      ) : null}
    </fieldset>
  )
}

function reveal(text: HTMLElement | null): void {
  text?.scrollIntoView({ block: 'nearest' })
}

/** Whether a subscription's conversion carries its address, as the hash that Meta compares with its own. */
function EmailSwitch({ form }: { form: UseFormReturn<PixelForm> }) {
  return (
    <label className="grid grid-cols-[1.375rem_minmax(0,1fr)] items-start gap-x-3 py-1 text-[0.9375rem] font-semibold">
      <input type="checkbox" className="size-5.5 accent-ink" {...form.register('send_hashed_email')} />
      <span>
        Enviar o e-mail da inscrição, em código
        <span className="block text-sm font-normal text-pretty text-text-2">
          A inscrição na newsletter leva à Meta um código (hash SHA-256) do e-mail, que ela compara com os
          dela. Só de quem aceitou Marketing. Enquanto ligado, o aviso de cookies e a política de privacidade
          dizem isso, e quem já escolheu é perguntado de novo.
        </span>
      </span>
    </label>
  )
}

const WHERE: Partial<Record<PixelType, string>> = {
  meta: 'Gere no Gerenciador de Eventos da Meta, em Configurações, API de Conversões.',
  google_analytics:
    'Crie no Google Analytics, em Administrador, Fluxos de dados, Chaves secretas da API do Measurement Protocol.',
  custom: 'Começa com whsec_ e é o mesmo de quem recebe: prova que a chamada veio daqui.',
}

const ENCRYPTED = 'Fica cifrado e nunca volta para a tela.'

interface SecretFieldProps {
  form: UseFormReturn<PixelForm>
  /** When the stored one was written; null while that is not known. */
  storedAt: string | null
  startsHere: boolean
}

/** The token, API secret or signing secret: written, never read. Typing replaces it; it goes only by a click on "Remover". */
function SecretField({ form, storedAt, startsHere }: SecretFieldProps) {
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
          : `${WHERE[type]} ${ENCRYPTED}`
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
