import { standardSchemaResolver } from '@hookform/resolvers/standard-schema'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import * as z from 'zod/mini'
import { FormField } from '#admin/components/form.tsx'
import { Input, Select } from '#admin/components/inputs.tsx'
import { FormModal } from '#admin/components/modal.tsx'
import { notifySuccess } from '#admin/components/toast.tsx'
import { ALERT_KINDS, ALERT_NAMES, type AlertWebhook, CHAT_FORMATS, CHAT_NAMES } from '#contract/alerts.ts'
import { chatFormatOf, chatUrlProblem } from '#contract/chat-url.ts'
import { useSaveChat } from './api.ts'

const FORMAT_HINTS = {
  slack: 'No Slack: crie um app, ative "Incoming Webhooks" e copie o "Webhook URL" do canal.',
  discord: 'No Discord: em "Editar canal", abra "Integrações", crie um webhook e copie o URL.',
  json: 'Enviamos um POST com um JSON: type, site, title, text, lines e url.',
} as const

function createSchema(isNew: boolean) {
  return z.object({
    url: z.pipe(
      z.string(),
      z.string().check(
        z.trim(),
        z.check<string>((context) => {
          if (context.value === '' && !isNew) return
          const message = chatUrlProblem(context.value)
          if (message !== null) context.issues.push({ code: 'custom', message, input: context.value })
        }),
      ),
    ),
    format: z.enum(CHAT_FORMATS),
    kinds: z.array(z.enum(ALERT_KINDS)).check(z.minLength(1, 'Escolha pelo menos um aviso.')),
  })
}

/** Connects a chat, or changes it. */
export function ChatForm({ webhook, onClose }: { webhook: AlertWebhook | null; onClose: () => void }) {
  const save = useSaveChat()
  const [schema] = useState(() => createSchema(webhook === null))
  const form = useForm<z.infer<typeof schema>>({
    defaultValues: {
      url: '',
      format: webhook?.format ?? 'slack',
      kinds: webhook?.kinds ?? [...ALERT_KINDS],
    },
    resolver: standardSchemaResolver(schema),
  })
  const submit = form.handleSubmit(({ url, format, kinds }) =>
    save.mutate(
      { ...(url === '' ? {} : { url }), format, kinds },
      {
        onSuccess: () => {
          onClose()
          notifySuccess(webhook === null ? 'Chat conectado' : 'Chat alterado', {
            description: 'Envie um teste para conferir.',
          })
        },
      },
    ),
  )
  const kindsError = form.formState.errors.kinds?.message
  return (
    <FormModal
      title={webhook === null ? 'Conectar chat' : 'Alterar chat'}
      width="md"
      dirty={form.formState.isDirty}
      action={save}
      failure="Não foi possível salvar o chat."
      submit="Salvar"
      onSubmit={submit}
      onClose={onClose}
    >
      <FormField
        form={form}
        name="url"
        label="Endereço do webhook"
        hint={
          webhook === null
            ? 'Trate como uma senha: quem tem o endereço pode escrever no canal.'
            : 'Deixe vazio para manter o endereço salvo.'
        }
        rules={{
          onChange: ({ target }) => {
            const format = chatFormatOf(target.value)
            if (format !== null) form.setValue('format', format)
          },
        }}
      >
        {(control) => (
          <Input
            type="url"
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
            placeholder={webhook === null ? 'https://' : '••••••••'}
            data-autofocus
            {...control}
          />
        )}
      </FormField>
      <FormField form={form} name="format" label="Formato" hint={FORMAT_HINTS[form.watch('format')]}>
        {(control) => (
          <Select
            options={CHAT_FORMATS.map((format) => [format, CHAT_NAMES[format]] as const)}
            {...control}
          />
        )}
      </FormField>
      <fieldset aria-describedby={kindsError === undefined ? undefined : 'chat-kinds-error'}>
        <legend className="text-[0.9375rem] font-semibold">Avisar quando</legend>
        {ALERT_KINDS.map((kind) => (
          <label key={kind} className="flex min-h-11 items-center gap-3 py-1.5 text-[0.9375rem]">
            <input
              type="checkbox"
              value={kind}
              className="size-5.5 flex-none accent-ink"
              {...form.register('kinds')}
            />
            {ALERT_NAMES[kind]}
          </label>
        ))}
        {kindsError === undefined ? null : (
          <p id="chat-kinds-error" className="text-sm text-bad">
            {kindsError}
          </p>
        )}
      </fieldset>
    </FormModal>
  )
}
