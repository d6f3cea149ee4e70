import { LoadFailure } from '#admin/components/load-failure.tsx'
import { MessageBox } from '#admin/components/message-box.tsx'
import { Skeleton } from '#admin/components/skeleton.tsx'
import { ALERT_KINDS, ALERT_NAMES, type AlertChoice } from '#contract/alerts.ts'
import { useAlerts, useChooseAlerts } from '../api/alerts.ts'
import { SectionCard } from './section-card.tsx'

/** What the person wants to be told by mail. */
export function AlertsSection() {
  const alerts = useAlerts()
  return (
    <SectionCard
      title="Avisos por e-mail"
      text="Vão para o seu e-mail: no máximo um por pixel e dia; o resto espera o resumo das 8h da manhã seguinte. Nada sobre visitantes."
    >
      <div aria-busy={alerts.isPending} className="border-t border-line px-5 py-4 sm:px-7">
        {alerts.data ? (
          <Choices choice={alerts.data} />
        ) : alerts.isError ? (
          <LoadFailure
            error={alerts.error}
            fallback="Não deu para carregar os avisos."
            onRetry={() => void alerts.refetch()}
          />
        ) : (
          <Skeleton className="my-2 h-4 w-56 rounded-md" />
        )}
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
