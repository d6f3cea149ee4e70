import { ShieldCheck } from 'lucide-react'
import { useEffect, useEffectEvent, useId } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { Button } from '#admin/components/button.tsx'
import { ChoiceCard, Field, FormField } from '#admin/components/form.tsx'
import { HelpLink } from '#admin/components/help-link.tsx'
import { Input, Select } from '#admin/components/inputs.tsx'
import { MessageBox } from '#admin/components/message.tsx'
import { SaibaMais } from '#admin/components/saiba-mais.tsx'
import { formatMinute } from '#admin/lib/format.ts'
import { TAG_CATEGORY_LABELS } from '#contract/consent.ts'
import { CONVERSIONS, type ServedDestination } from '#contract/conversions.ts'
import { ACCESS_TOKEN_LABELS, DELIVERY_CHOICES, DELIVERY_LABELS } from '#contract/pixel.ts'
import { SERVER_EVENT_LABELS, SERVER_EVENTS } from '#contract/server-event.ts'
import { useDestinations } from '../destinations.ts'
import { deliveryOf, hasStoredSecret, isUnknown, vendorOf, WEBHOOK, waysOf } from '../sending.ts'
import type { PixelForm } from './schema.ts'

interface SendingFieldsProps {
  form: UseFormReturn<PixelForm>
  storedAt: string | null
  /** A person who came to fix the sending starts here. */
  startsHere: boolean
  /** The vendor of the code, by the catalogue. */
  recognised: string | null
}

/** How events are sent, and what the server needs. Empty for types that only a browser can send. */
export function SendingFields({ form, storedAt, startsHere, recognised }: SendingFieldsProps) {
  const [type, delivery, destination, served] = form.watch(['type', 'delivery', 'destination', 'served'])
  const destinations = useDestinations()
  if (DELIVERY_CHOICES[type].length < 2) return null
  const chosen = { type, delivery, destination, served }
  const byServer = deliveryOf(chosen) !== 'browser'
  const vendor = vendorOf(chosen)
  // Of a type's own destination, only secondary texts come from the server.
  const shown =
    vendor ?? (isUnknown(chosen) ? undefined : destinations.data?.find((each) => each.type === type))
  return (
    <>
      {type === 'custom' ? (
        <PlatformField form={form} destinations={destinations} recognised={recognised} />
      ) : null}
      {isUnknown(chosen) ? null : (
        <>
          <DeliveryChoice form={form} shown={shown} startsHere={startsHere && !byServer} />
          {type === 'custom' && byServer && vendor === null ? (
            <FormField
              form={form}
              name="webhook_url"
              label="Endereço do webhook"
              hint="Precisa ser público e começar com https://. Recebe uma chamada (POST) por conversão."
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
          {vendor?.account && byServer ? (
            <FormField
              form={form}
              name="destination_account"
              label={vendor.account.label}
              hint={vendor.account.hint}
            >
              {(control) => (
                <Input
                  placeholder={vendor.account?.example ?? undefined}
                  autoComplete="off"
                  autoCapitalize="none"
                  spellCheck={false}
                  className="font-mono"
                  {...control}
                />
              )}
            </FormField>
          ) : null}
          {byServer && (type === 'meta' || vendor?.takes_hashed_email) ? <EmailSwitch form={form} /> : null}
          <SecretField form={form} shown={shown} storedAt={storedAt} startsHere={startsHere && byServer} />
          {byServer && shown !== undefined ? <EventNames form={form} destination={shown} /> : null}
          {byServer ? <ConsentNote form={form} /> : null}
        </>
      )}
    </>
  )
}

interface PlatformFieldProps extends Pick<SendingFieldsProps, 'form' | 'recognised'> {
  destinations: ReturnType<typeof useDestinations>
}

/** Where the server sends a custom pixel's events. The vendor of the code is chosen by itself in a new pixel. */
function PlatformField({ form, destinations, recognised }: PlatformFieldProps) {
  const [destination, delivery, served] = form.watch(['destination', 'delivery', 'served'])
  const known = destinations.data?.filter(({ type }) => type === 'custom') ?? []
  const suggested = known.find(({ vendor }) => vendor !== null && vendor === recognised)
  const isUntouched = !form.formState.dirtyFields.destination && form.getValues('stored_secret') === null
  const id = isUntouched && delivery === 'browser' && suggested ? suggested.id : destination
  const choose = (next: string, shouldDirty: boolean) => {
    form.setValue('destination', next, { shouldDirty })
    form.setValue('served', next === WEBHOOK ? null : (known.find((each) => each.id === next) ?? null))
    if (shouldDirty) {
      form.setValue('secrets.custom', '')
      form.clearErrors()
    }
  }
  const follow = useEffectEvent(() => {
    if (known.length > 0 && (id !== destination || (id !== WEBHOOK && served === null))) choose(id, false)
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows what was recognised, and the list once it is there.
  useEffect(() => follow(), [id, served, destinations.data])
  if (destinations.isError)
    return (
      <MessageBox
        look="info"
        actions={
          <Button look="outline" onClick={() => void destinations.refetch()}>
            Tentar novamente
          </Button>
        }
      >
        Não foi possível carregar as plataformas.
      </MessageBox>
    )
  if (known.length === 0) return <p className="text-sm text-text-2">Carregando as plataformas...</p>
  return (
    <Field
      label="Plataforma que recebe pelo servidor"
      hint={
        suggested !== undefined && suggested.id === destination
          ? `Sugerida porque reconhecemos o código: ${suggested.name}.`
          : null
      }
    >
      {(control) => (
        <Select
          {...control}
          options={known.map((each) => [each.id, each.id === WEBHOOK ? 'Meu sistema (webhook)' : each.name])}
          value={destination}
          onChange={(event) => choose(event.target.value, true)}
        />
      )}
    </Field>
  )
}

interface EventNamesProps {
  form: UseFormReturn<PixelForm>
  destination: ServedDestination
}

/** "O que vai, e com que nome": the vendor's names, or the fields for its numbers. */
function EventNames({ form, destination: { who, events, event_id } }: EventNamesProps) {
  const id = useId()
  const both = form.watch('delivery') === 'both'
  const sent = SERVER_EVENTS.filter((event) => events[event] !== null)
  return (
    <section aria-labelledby={id} className="grid grid-cols-1 gap-2">
      <h3 id={id} className="text-[0.9375rem] font-semibold tracking-normal">
        O que vai, e com que nome
      </h3>
      {event_id === null ? (
        <dl className="grid grid-cols-1 rounded-1 border border-line text-[0.9375rem]/snug">
          {sent.map((event) => (
            <div
              key={event}
              className="grid gap-x-4 border-line px-3.5 py-2 not-first:border-t sm:grid-cols-[1fr_auto]"
            >
              <dt className="min-w-0">{SERVER_EVENT_LABELS[event]}</dt>
              <dd className="min-w-0 font-mono text-sm text-text-2 wrap-anywhere">
                {both && event === 'page_view' ? (
                  <span className="font-sans">só pela página</span>
                ) : (
                  events[event]
                )}
              </dd>
            </div>
          ))}
        </dl>
      ) : (
        <>
          <p className="text-sm text-pretty text-text-2">
            {`N${who} cada conversão tem um número. ${event_id.hint ?? ''} Sem número, a conversão não vai.`}
          </p>
          {CONVERSIONS.filter((event) => events[event] !== null).map((event) => (
            <FormField
              key={event}
              form={form}
              name={`event_ids.${event}`}
              label={`${event_id.label}: ${SERVER_EVENT_LABELS[event]}`}
            >
              {(control) => (
                <Input
                  placeholder="Sem número, não vai"
                  inputMode="numeric"
                  autoComplete="off"
                  spellCheck={false}
                  className="font-mono placeholder:font-sans"
                  {...control}
                />
              )}
            </FormField>
          ))}
        </>
      )}
    </section>
  )
}

/** Whose events the server sends. */
function ConsentNote({ form }: { form: UseFormReturn<PixelForm> }) {
  return (
    <p className="flex gap-2.5 text-[0.9375rem]">
      <ShieldCheck aria-hidden="true" className="size-5 flex-none" />
      <span className="min-w-0">
        Só de quem aceitou <b>{TAG_CATEGORY_LABELS[form.watch('consent_category')]}</b>.
        <span className="block text-sm text-pretty text-text-2">
          O servidor confere de novo na hora de enviar. Quem retira o consentimento sai da fila.
        </span>
      </span>
    </p>
  )
}

interface DeliveryChoiceProps {
  form: UseFormReturn<PixelForm>
  /** Once it is known. */
  shown: ServedDestination | undefined
  /** A person who came to fix the sending starts here if nothing else must be filled in. */
  startsHere: boolean
}

/** "Como enviar os dados": by the page, by the server, or by both. */
function DeliveryChoice({ form, shown, startsHere }: DeliveryChoiceProps) {
  const [type, delivery, served] = form.watch(['type', 'delivery', 'served'])
  const id = useId()
  const current = deliveryOf({ type, delivery, served })
  const error = form.formState.errors.delivery?.message
  return (
    <fieldset aria-describedby={error ? `${id}-error` : undefined} className="grid grid-cols-1 gap-2">
      <legend className="pb-1.5 text-[0.9375rem] font-semibold">Como enviar os dados</legend>
      {waysOf({ type, delivery, served }).map((choice) => (
        <ChoiceCard
          key={choice}
          name={id}
          value={choice}
          label={DELIVERY_LABELS[choice]}
          meaning={shown?.meanings[choice]}
          mark={shown?.recommended === choice ? 'Recomendado' : null}
          checked={choice === current}
          onChange={() => {
            form.setValue('delivery', choice, { shouldDirty: true })
            form.clearErrors('delivery')
          }}
          {...(startsHere && choice === current ? { 'data-autofocus': true } : {})}
        />
      ))}
      <HelpLink topic="envio pelo servidor" inText />
      {shown?.more ? (
        <SaibaMais about="sobre o envio pelo servidor">
          <p>{shown.more}</p>
        </SaibaMais>
      ) : null}
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

/** Whether events include the hashed address. */
function EmailSwitch({ form }: { form: UseFormReturn<PixelForm> }) {
  return (
    <div>
      <label className="grid grid-cols-[1.375rem_minmax(0,1fr)] items-start gap-x-3 py-1 text-[0.9375rem] font-semibold">
        <input type="checkbox" className="size-5.5 accent-ink" {...form.register('send_hashed_email')} />
        <span>
          Enviar o e-mail, protegido por hash
          <span className="block text-sm font-normal text-pretty text-text-2">
            Ajuda a plataforma a reconhecer quem se inscreveu na newsletter ou virou cliente. Vale só para
            quem aceitou Marketing.
          </span>
        </span>
      </label>
      <SaibaMais about="sobre o e-mail" className="pl-[2.125rem]">
        <p>
          Enviamos um código gerado a partir do e-mail (hash SHA-256), nunca o e-mail. O aviso de cookies e a
          política de privacidade dizem o nome de cada empresa que recebe. Quando um nome novo entra, pedimos
          consentimento de novo a quem já respondeu. Se só a Meta recebe, vai apenas o e-mail de quem se
          inscreveu na newsletter.
        </p>
      </SaibaMais>
    </div>
  )
}

const ENCRYPTED = 'Depois de salvo, fica criptografado e não aparece mais na tela.'

interface SecretFieldProps {
  form: UseFormReturn<PixelForm>
  /** Once it is known. */
  shown: ServedDestination | undefined
  /** When the stored one was saved; null if unknown. */
  storedAt: string | null
  startsHere: boolean
}

/** The token, API secret or signing secret: written, never read. Typing replaces it; only "Remover" deletes it. */
function SecretField({ form, shown, storedAt, startsHere }: SecretFieldProps) {
  const [type, delivery, served, destination] = form.watch(['type', 'delivery', 'served', 'destination'])
  const vendor = vendorOf({ type, served })
  const label = vendor === null ? ACCESS_TOKEN_LABELS[type] : vendor.secret.label
  const isStored = hasStoredSecret({ ...form.getValues(), type, destination })
  if (label === undefined) return null
  if (deliveryOf({ type, delivery, served }) === 'browser')
    return isStored ? <RestingSecret form={form} label={label} storedAt={storedAt} /> : null
  return (
    <FormField
      form={form}
      name={`secrets.${type}`}
      label={label}
      hint={
        isStored
          ? `${describeStored(storedAt)} Para alterar, cole outro. Para remover, escolha o envio "Pela página".`
          : `${shown?.secret.where ?? ''} ${ENCRYPTED}`
      }
    >
      {(control) => (
        <Input
          {...control}
          {...(startsHere ? { 'data-autofocus': true } : {})}
          // No password field: a browser would fill in the administrator's own.
          type="text"
          autoComplete="off"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          data-1p-ignore
          data-lpignore="true"
          placeholder={isStored ? '•••••••• (salvo)' : undefined}
          className="font-mono [-webkit-text-security:disc] placeholder:font-sans"
        />
      )}
    </FormField>
  )
}

function describeStored(storedAt: string | null): string {
  return storedAt === null ? 'Salvo e criptografado.' : `Salvo em ${formatMinute(storedAt)}, criptografado.`
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
          {forgets
            ? 'Será removido ao salvar.'
            : `${describeStored(storedAt)} Não é usado nesta forma de envio.`}
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
