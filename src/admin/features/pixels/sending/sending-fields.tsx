import type { UseFormReturn } from 'react-hook-form'
import { Field } from '#admin/components/field.tsx'
import { Input } from '#admin/components/input.tsx'
import { DELIVERY_CHOICES } from '#contract/pixel.ts'
import type { PixelForm } from '../api/save-pixel.ts'
import { DeliveryChoice } from './delivery-choice.tsx'
import { EmailSwitch } from './email-switch.tsx'
import { SecretField } from './secret-field.tsx'
import { deliveryOf } from './sending-form.ts'

interface SendingFieldsProps {
  form: UseFormReturn<PixelForm>
  storedAt: string | null
  /** Whoever comes to mend the sending begins here. */
  startsHere: boolean
}

/** How the vendor is told, and what the server needs for it. Nothing where only a browser can. */
export function SendingFields({ form, storedAt, startsHere }: SendingFieldsProps) {
  const [type, delivery] = form.watch(['type', 'delivery'])
  if (DELIVERY_CHOICES[type].length < 2) return null
  const byServer = deliveryOf({ type, delivery }) !== 'browser'
  return (
    <>
      <DeliveryChoice form={form} startsHere={startsHere && !byServer} />
      {type === 'custom' && byServer ? (
        <Field
          label="Endereço do webhook"
          error={form.formState.errors.webhook_url?.message}
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
              {...form.register('webhook_url')}
            />
          )}
        </Field>
      ) : null}
      {type === 'meta' && byServer ? <EmailSwitch form={form} /> : null}
      <SecretField form={form} storedAt={storedAt} startsHere={startsHere && byServer} />
    </>
  )
}
