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
  useChooseSummary,
} from './api.ts'
import { PasskeysSection } from './passkeys.tsx'
import { SecondFactorSection } from './second-factor.tsx'
import { LoginsSection } from './sessions.tsx'

export function AccountScreen() {
  const { email } = useCurrentUser()
  return (
    <>
      <PageHeading title="Minha conta" subtitle={`Conta: ${email}`} />
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

/** The person's alert settings. */
function AlertsSection() {
  const alerts = useAlerts()
  return (
    <SectionCard
      title="Avisos por e-mail"
      text="Você recebe no máximo 1 e-mail por pixel por dia. Os demais avisos vão no resumo das 8h do dia seguinte. Os e-mails nunca trazem dados de visitantes."
    >
      <div aria-busy={alerts.isPending} className="border-t border-line px-5 py-4 sm:px-7">
        <QueryView
          query={alerts}
          failure="Não foi possível carregar os avisos."
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
  const summary = useChooseSummary(choice)
  return (
    <>
      {choice.can_send ? null : (
        <MessageBox
          look="warn"
          advice="Peça à equipe de TI para configurar o envio de e-mails (SMTP_URL). Sua escolha já está salva."
        >
          Os avisos ainda não podem ser enviados.
        </MessageBox>
      )}
      <fieldset className="not-first:mt-4">
        <legend className="text-sm text-text-2">Quero receber um aviso quando:</legend>
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
      <fieldset className="mt-4">
        <legend className="text-sm text-text-2">Toda segunda, às 8h:</legend>
        <label className="flex min-h-11 items-center gap-3 py-1.5 text-[0.9375rem]">
          <input
            type="checkbox"
            className="size-5.5 flex-none accent-ink"
            checked={summary.isWanted}
            onChange={(event) => summary.choose(event.target.checked)}
          />
          resumo da semana, com visitas, cliques, campanhas e tags com problema
        </label>
      </fieldset>
    </>
  )
}

function PasswordSection() {
  const [open, setOpen] = useState(false)
  return (
    <SectionCard
      title="Senha"
      text="Ao alterar a senha, encerramos suas outras sessões."
      action={
        <Button look="outline" onClick={() => setOpen(true)}>
          Alterar senha
        </Button>
      }
    >
      {open ? <ChangePasswordModal onClose={() => setOpen(false)} /> : null}
    </SectionCard>
  )
}

/** Asks for the current password, also right after a sign-in: an open tab must not be enough. */
export function ChangePasswordModal({ onClose, onChanged }: { onClose: () => void; onChanged?: () => void }) {
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
        onChanged?.()
        notifySuccess('Senha alterada')
      },
    }),
  )
  return (
    <FormModal
      title="Alterar senha"
      width="md"
      dirty={form.formState.isDirty}
      action={change}
      failure="Não foi possível alterar a senha."
      submit="Alterar senha"
      onSubmit={submit}
      onClose={onClose}
    >
      {/* For password managers, which need the account. */}
      <input type="text" autoComplete="username" value={email} readOnly hidden />
      <FormField form={form} name="current" label="Senha atual">
        {(control) => <PasswordInput autoComplete="current-password" data-autofocus required {...control} />}
      </FormField>
      <NewPasswordField form={form} name="password" />
    </FormModal>
  )
}
