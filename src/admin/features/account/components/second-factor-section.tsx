import { useState } from 'react'
import { Button } from '#admin/components/button.tsx'
import { ConfirmDialog } from '#admin/components/confirm-dialog.tsx'
import { MessageBox } from '#admin/components/message-box.tsx'
import { notifyFailure, notifySuccess } from '#admin/components/notify.ts'
import { Skeleton } from '#admin/components/skeleton.tsx'
import { useEnrol, useNewRecoveryCodes, useSecondFactor, useSwitchOff } from '../api/second-factor.ts'
import { EnrolModal } from './enrol-modal.tsx'
import { RecoveryCodesModal } from './recovery-codes-modal.tsx'
import { SectionCard } from './section-card.tsx'

const TITLE = 'Verificação em duas etapas'
const FEW_CODES = 3

export function SecondFactorSection() {
  const state = useSecondFactor()
  const [open, setOpen] = useState<'enrol' | 'renew' | 'switch-off' | null>(null)
  const enrol = useEnrol()
  const switchOff = useSwitchOff()
  const newCodes = useNewRecoveryCodes()
  // What is on screen stays when a refresh fails: the dialogs below show what is shown only once.
  if (state.data === undefined) {
    if (!state.isError)
      return <SectionCard title={TITLE} text={<Skeleton className="mt-2 h-4 w-64 max-w-full rounded" />} />
    return (
      <SectionCard
        title={TITLE}
        text="Não foi possível ler o estado da verificação."
        action={
          <Button look="outline" onClick={() => state.refetch()}>
            Tentar novamente
          </Button>
        }
      />
    )
  }
  const { factorIds, hasApp, codesLeft } = state.data
  const isOn = factorIds.length > 0
  const turnOn = () => {
    setOpen('enrol')
    enrol.mutate()
  }
  const turnOff = () => {
    setOpen(null)
    switchOff.mutate(factorIds, {
      onSuccess: () => notifySuccess('Verificação em duas etapas desativada'),
      onError: (error) => notifyFailure('A verificação em duas etapas continua ativa.', error),
    })
  }
  const renew = () => {
    setOpen(null)
    newCodes.mutate(undefined, {
      onError: (error) => notifyFailure('Os códigos não foram gerados.', error),
    })
  }
  return (
    <SectionCard
      title={TITLE}
      text={
        isOn ? (
          <>
            <strong className="font-semibold text-ok">Ativada.</strong> Além da senha, o login pede{' '}
            {hasApp ? 'um código do seu celular' : 'a chave de acesso do seu aparelho'}.{' '}
            {codesLeft === 1 ? 'Resta 1 código' : `Restam ${codesLeft} códigos`} de recuperação.
          </>
        ) : (
          'Além da senha, o login passa a pedir um código do seu celular. Quem descobrir sua senha não entra sem ele.'
        )
      }
      action={
        isOn ? (
          <>
            <Button
              look="outline"
              onClick={() => newCodes.isPending || setOpen('renew')}
              aria-disabled={newCodes.isPending}
            >
              {newCodes.isPending ? 'Gerando...' : 'Gerar novos códigos'}
            </Button>
            <Button look="outline" onClick={() => setOpen('switch-off')} aria-disabled={switchOff.isPending}>
              Desativar
            </Button>
          </>
        ) : (
          <Button onClick={turnOn}>Ativar</Button>
        )
      }
    >
      {isOn && codesLeft <= FEW_CODES ? (
        <div className="px-5 pb-5 sm:px-7 sm:pb-6">
          <MessageBox look="warn">
            {codesLeft === 0
              ? 'Você está sem códigos de recuperação: se perder o celular, não conseguirá entrar. Gere novos.'
              : 'Seus códigos de recuperação estão acabando. Gere novos.'}
          </MessageBox>
        </div>
      ) : null}
      {open === 'enrol' ? (
        <EnrolModal enrolment={enrol.data} failure={enrol.error} onClose={() => setOpen(null)} />
      ) : null}
      {newCodes.data ? <RecoveryCodesModal codes={newCodes.data} onClose={() => newCodes.reset()} /> : null}
      {open === 'renew' ? (
        <ConfirmDialog
          title="Gerar novos códigos de recuperação?"
          description="Os códigos que você guardou antes deixam de valer agora."
          confirmLabel="Gerar novos códigos"
          onCancel={() => setOpen(null)}
          onConfirm={renew}
        />
      ) : null}
      {open === 'switch-off' ? (
        <ConfirmDialog
          title="Desativar a verificação em duas etapas?"
          description="Sua conta volta a ser protegida só pela senha, e os códigos de recuperação deixam de valer."
          confirmLabel="Desativar"
          onCancel={() => setOpen(null)}
          onConfirm={turnOff}
        />
      ) : null}
    </SectionCard>
  )
}
