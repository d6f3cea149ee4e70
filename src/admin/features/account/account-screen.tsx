import { standardSchemaResolver } from '@hookform/resolvers/standard-schema'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { Button } from '#admin/components/button.tsx'
import { SectionCard } from '#admin/components/card.tsx'
import { FormField, NewPasswordField } from '#admin/components/form.tsx'
import { PasswordInput } from '#admin/components/inputs.tsx'
import { MessageBox } from '#admin/components/message.tsx'
import { FormModal } from '#admin/components/modal.tsx'
import { PageHeading } from '#admin/components/page-heading.tsx'
import { QueryView, Skeleton } from '#admin/components/query-view.tsx'
import { notifySuccess } from '#admin/components/toast.tsx'
import { useCurrentUser } from '#admin/lib/services.tsx'
import { ALERT_KINDS, ALERT_NAMES, type AlertChoice } from '#contract/alerts.ts'
import {
  changePasswordSchema,
  type PasswordChange,
  useAlerts,
  useChangePassword,
  useChooseAlerts,
} from './api.ts'
import { PasskeysSection } from './passkeys.tsx'
import { SecondFactorSection } from './second-factor.tsx'
import { LoginsSection } from './sessions.tsx'

export function AccountScreen() {
  const { email } = useCurrentUser()
  return (
    <>
      <PageHeading title="Minha conta" subtitle={`Você entrou como ${email}.`} />
      <div className="grid gap-5">
        <PasswordSection />
        <PasskeysSection />
        <SecondFactorSection />
        <AlertsSection />
        <LoginsSection />
      </div>
    </>
  )
}

/** Which alerts the person gets by e-mail. */
function AlertsSection() {
  const alerts = useAlerts()
  return (
    <SectionCard
      title="Avisos por e-mail"
      text="Vão para o seu e-mail: no máximo um por pixel e dia; o resto espera o resumo das 8h da manhã seguinte. Nada sobre visitantes."
    >
      <div aria-busy={alerts.isPending} className="border-t border-line px-5 py-4 sm:px-7">
        <QueryView
          query={alerts}
          failure="Não deu para carregar os avisos."
          loading={<Skeleton className="my-2 h-4 w-56 rounded-md" />}
        >
          {(choice) => <Choices choice={choice} />}
        </QueryView>
      </div>
    </SectionCard>
  )
}

function Choices({ choice }: { choice: AlertChoice }) {
  const { chosen, choose } = useChooseAlerts(choice)
  return (
    <>
      {choice.can_send ? null : (
        <MessageBox
          look="warn"
          advice="Quem opera o servidor precisa definir SMTP_URL. A sua escolha fica guardada."
        >
          Nenhum e-mail pode sair: não há servidor de e-mail configurado.
        </MessageBox>
      )}
      <fieldset className="not-first:mt-4">
        <legend className="text-sm text-text-2">Avise-me quando</legend>
        {ALERT_KINDS.map((kind) => (
          <label key={kind} className="flex min-h-11 items-center gap-3 py-1.5 text-[0.9375rem]">
            <input
              type="checkbox"
              className="size-5.5 flex-none accent-ink"
              checked={chosen.includes(kind)}
              onChange={(event) =>
                choose(
                  ALERT_KINDS.filter((one) => (one === kind ? event.target.checked : chosen.includes(one))),
                )
              }
            />
            {ALERT_NAMES[kind]}
          </label>
        ))}
      </fieldset>
    </>
  )
}

function PasswordSection() {
  const [open, setOpen] = useState(false)
  return (
    <SectionCard
      title="Senha"
      text="Ao trocar a senha, as suas outras sessões são encerradas."
      action={
        <Button look="outline" onClick={() => setOpen(true)}>
          Trocar senha
        </Button>
      }
    >
      {open ? <ChangePasswordModal onClose={() => setOpen(false)} /> : null}
    </SectionCard>
  )
}

function ChangePasswordModal({ onClose }: { onClose: () => void }) {
  const { email } = useCurrentUser()
  const change = useChangePassword()
  const form = useForm<PasswordChange>({
    defaultValues: { current: '', password: '' },
    resolver: standardSchemaResolver(changePasswordSchema),
  })
  const submit = form.handleSubmit((values) =>
    change.mutate(values, {
      onSuccess: () => {
        onClose()
        notifySuccess('Senha trocada')
      },
    }),
  )
  return (
    <FormModal
      title="Trocar senha"
      width="md"
      dirty={form.formState.isDirty}
      action={change}
      failure="Não foi possível trocar a senha."
      submit="Trocar senha"
      onSubmit={submit}
      onClose={onClose}
    >
      {/* For password managers, which otherwise cannot tell whose password this is. */}
      <input type="text" autoComplete="username" value={email} readOnly hidden />
      <FormField form={form} name="current" label="Senha atual">
        {(control) => <PasswordInput autoComplete="current-password" data-autofocus required {...control} />}
      </FormField>
      <NewPasswordField form={form} name="password" />
    </FormModal>
  )
}
