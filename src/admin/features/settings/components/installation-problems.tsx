import { FailureBox } from '#admin/components/failure-box.tsx'
import { MessageBox } from '#admin/components/message-box.tsx'
import { QuietButton } from '#admin/components/quiet-button.tsx'
import type { InstallationProblem } from '#contract/admin-page.ts'
import { useConfirmClock, useNotices } from '../api/notices.ts'

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
              <QuietButton aria-disabled={confirm.isPending} onClick={() => confirm.mutate()}>
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
