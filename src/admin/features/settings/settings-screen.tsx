import type { ReactNode } from 'react'
import { Button, QuietButton } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { lazyPart } from '#admin/components/error-boundary.tsx'
import { EmptyState, FailureBox, MessageBox } from '#admin/components/message.tsx'
import { PageHeading } from '#admin/components/page-heading.tsx'
import { notifyUnsaved } from '#admin/components/toast.tsx'
import { useConfirmClock, useDismissNotices, useHideFirstSteps, useNotices } from '#admin/lib/notices.ts'
import { navigate, paths } from '#admin/lib/router.tsx'
import type { InstallationProblem } from '#contract/admin-page.ts'

export function SettingsScreen() {
  return (
    <>
      <PageHeading title="Configurações" />
      <ProductionNotices />
      <HiddenSteps />
      <div className="mb-4">
        <ChatSection />
      </div>
      <Card>
        <EmptyState
          picture={<ArchUnderConstruction />}
          title="Configurações do sistema em desenvolvimento"
          text="Por enquanto, configure o site em Pixels & Tags e em Usuários Admin."
        />
      </Card>
    </>
  )
}

/** Not with this file, which every screen loads for its problems. */
const ChatSection = lazyPart(async () => (await import('./chat-section.tsx')).ChatSection)

function ArchUnderConstruction() {
  return (
    <svg width="168" height="120" fill="none" className="stroke-ink" strokeWidth="1.5" aria-hidden="true">
      <path d="M44 119V66a40 40 0 0 1 80 0v53" strokeDasharray="4 5" />
      <path d="M0 119h168M30 119V20m108 99V20M20 52h128M20 84h128" />
    </svg>
  )
}

function ProductionNotices() {
  const gaps = useNotices().data?.gaps ?? []
  const dismiss = useDismissNotices()
  if (gaps.length === 0) return null
  return (
    <div className="mb-4">
      <MessageBox
        look="info"
        advice={gaps.map(({ message }) => message).join(' ')}
        actions={<QuietButton onClick={dismiss}>Dispensar aviso</QuietButton>}
      >
        Pendências da instalação
      </MessageBox>
    </div>
  )
}

/** The way back to the first steps. */
function HiddenSteps() {
  const steps = useNotices().data?.first_steps
  const hide = useHideFirstSteps(notifyUnsaved)
  if (!steps?.hidden) return null
  return (
    <Card className="mb-4 flex flex-wrap items-center justify-between gap-x-6 gap-y-3 px-5 py-4 sm:px-7">
      <p className="text-[0.9375rem]">
        <b className="font-semibold">Primeiros passos.</b>{' '}
        <span className="text-text-2">Você escondeu esta lista da página inicial.</span>
      </p>
      <Button
        look="outline"
        pending={hide.isPending}
        onClick={() => hide.mutate(false, { onSuccess: () => navigate(paths.list) })}
      >
        Mostrar de novo
      </Button>
    </Card>
  )
}

const TITLES: Record<InstallationProblem['code'], string> = {
  clock_jumped: 'Confira o relógio do servidor',
  clock_differs: 'Os relógios estão diferentes',
  database_damaged: 'O banco de dados está danificado',
}

interface InstallationProblemsProps {
  /** Shown to somebody who signs in with a password that the program made. */
  offer: ReactNode
}

/** On every screen: each problem loses data if nobody acts. */
export function InstallationProblems({ offer }: InstallationProblemsProps) {
  const { data } = useNotices()
  return (
    <>
      <Problems problems={data?.problems ?? []} />
      {data?.offers_password ? offer : null}
    </>
  )
}

function Problems({ problems }: { problems: readonly InstallationProblem[] }) {
  const confirm = useConfirmClock()
  if (problems.length === 0) return null
  return (
    <div className="mb-4 grid gap-3">
      {problems.map(({ code, message }) => (
        <MessageBox
          key={code}
          look="bad"
          advice={message}
          actions={
            code === 'clock_jumped' ? (
              <QuietButton pending={confirm.isPending} onClick={() => confirm.mutate()}>
                {confirm.isPending ? 'Confirmando...' : 'O relógio está certo'}
              </QuietButton>
            ) : null
          }
        >
          {TITLES[code]}
        </MessageBox>
      ))}
      <FailureBox error={confirm.error} fallback="Não foi possível confirmar o relógio." />
    </div>
  )
}
