import { useEffect, useRef } from 'react'
import { Button } from '#admin/components/button.tsx'
import { FailureBox } from '#admin/components/failure-box.tsx'
import { MessageBox } from '#admin/components/message-box.tsx'
import { QuietButton } from '#admin/components/quiet-button.tsx'
import type { MailLink } from '#admin/lib/take-mail-link.ts'
import { useFollowLink } from '../api/follow-link.ts'
import { DoorFrame } from './door-frame.tsx'
import { NewPasswordForm } from './new-password-form.tsx'

const WORDS = {
  magiclink: {
    title: 'Entrar no painel',
    text: 'Confirme que foi você quem pediu este link.',
    act: 'Entrar',
  },
  signup: { title: 'Confirmar e-mail', text: 'Confirme que este e-mail é seu.', act: 'Confirmar e entrar' },
  email_change: {
    title: 'Trocar de e-mail',
    text: 'A troca acontece quando os dois endereços confirmarem.',
    act: 'Confirmar',
  },
}

interface LinkScreenProps {
  link: MailLink
  /** The link has done its work, or leads nowhere. */
  onDone: (next: 'login' | 'forgot') => void
}

/** What a link in a mail opens. Nothing is used up before the person says so: programs open links too. */
export function LinkScreen({ link, onDone }: LinkScreenProps) {
  if (link.type === 'broken') return <BrokenLink onDone={onDone} />
  if (link.type === 'recovery' || link.type === 'invite') {
    return (
      <DoorFrame
        title="Crie uma nova senha"
        text="Depois de salvar, você já entra no painel."
        footer={<StartOver />}
      >
        <NewPasswordForm tokenHash={link.tokenHash} type={link.type} onSaved={() => onDone('login')} />
      </DoorFrame>
    )
  }
  return <ConfirmLink type={link.type} tokenHash={link.tokenHash} onDone={() => onDone('login')} />
}

function BrokenLink({ onDone }: Pick<LinkScreenProps, 'onDone'>) {
  return (
    <DoorFrame
      title="Este link não vale mais"
      text="Ele já foi usado, ou passou de uma hora."
      footer={<QuietButton onClick={() => onDone('login')}>Ir para o login</QuietButton>}
    >
      <Button className="min-h-13 text-base" onClick={() => onDone('forgot')}>
        Pedir um novo link
      </Button>
    </DoorFrame>
  )
}

/** The page starts anew, as whoever the server then says is there: the link may have been used by now. */
function StartOver() {
  return <QuietButton onClick={() => location.reload()}>Ir para o login</QuietButton>
}

function ConfirmLink({
  type,
  tokenHash,
  onDone,
}: {
  type: keyof typeof WORDS
  tokenHash: string
  onDone: () => void
}) {
  const follow = useFollowLink()
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => button.current?.focus(), [])
  const { title, text, act } = WORDS[type]
  const isHalfDone = follow.isSuccess && follow.data === null
  return (
    <DoorFrame title={title} text={text} footer={<StartOver />}>
      <FailureBox error={follow.error} fallback="Não foi possível usar o link." />
      {isHalfDone ? (
        <MessageBox look="info">
          Este endereço está confirmado. Falta confirmar pelo link enviado ao outro.
        </MessageBox>
      ) : (
        <Button
          ref={button}
          className="min-h-13 text-base"
          pending={follow.isPending}
          onClick={() => follow.mutate({ tokenHash, type }, { onSuccess: (session) => session && onDone() })}
        >
          {follow.isPending ? 'Um momento...' : act}
        </Button>
      )}
    </DoorFrame>
  )
}
