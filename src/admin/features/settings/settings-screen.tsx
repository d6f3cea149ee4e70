import { useQuery, useQueryClient } from '@tanstack/react-query'
import { QuietButton } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { EmptyState, FailureBox, MessageBox } from '#admin/components/message.tsx'
import { PageHeading } from '#admin/components/page-heading.tsx'
import { useAction } from '#admin/lib/queries.ts'
import { useServices } from '#admin/lib/services.tsx'
import type { InstallationProblem, Notices } from '#contract/admin-page.ts'

export function SettingsScreen() {
  return (
    <>
      <PageHeading title="Configurações" />
      <ProductionNotices />
      <Card>
        <EmptyState
          picture={<ArchUnderConstruction />}
          title="Configurações do sistema em desenvolvimento"
          text="Por enquanto, os ajustes do site ficam em Pixels & Tags e Usuários Admin."
        />
      </Card>
    </>
  )
}

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
        Para quem cuida da instalação
      </MessageBox>
    </div>
  )
}

const TITLES: Record<InstallationProblem['code'], string> = {
  clock_jumped: 'Confira o relógio do servidor',
  clock_differs: 'Os relógios não concordam',
  database_damaged: 'O banco de dados está danificado',
}

/** On every screen: each of these loses data when nobody looks after it. */
export function InstallationProblems() {
  const { data } = useNotices()
  const confirm = useConfirmClock()
  const problems = data?.problems ?? []
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

const NOTICES_KEY = ['notices']

/** What the installation lacks, and what is wrong with it. That it cannot be read is nothing to trouble anybody with. */
function useNotices() {
  const { admin } = useServices()
  return useQuery({
    queryKey: NOTICES_KEY,
    queryFn: () => admin<Notices>('/notices'),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
}

/** Until the dashboard is opened again: nothing is kept in the browser, where a tag could have put it. */
function useDismissNotices() {
  const queryClient = useQueryClient()
  return () => queryClient.setQueryData<Notices>(NOTICES_KEY, (known) => known && { ...known, gaps: [] })
}

/** Says that the server's clock is right: rows past their time are removed again. */
function useConfirmClock() {
  const { admin } = useServices()
  const queryClient = useQueryClient()
  return useAction({
    mutationFn: () => admin<null>('/clock/confirm', { method: 'POST', body: {} }),
    onSuccess: () =>
      queryClient.setQueryData<Notices>(
        NOTICES_KEY,
        (known) =>
          known && { ...known, problems: known.problems.filter(({ code }) => code !== 'clock_jumped') },
      ),
  })
}
