import { useState } from 'react'
import { MessageBox } from '#admin/components/message-box.tsx'
import { QuietButton } from '#admin/components/quiet-button.tsx'
import { canUsePasskeys } from '#admin/lib/passkeys.ts'
import { useServices } from '#admin/lib/services.tsx'
import { DoorFrame } from './door-frame.tsx'
import { ForgotPassword } from './forgot-password.tsx'
import { LoginForm } from './login-form.tsx'
import { PasskeyButton } from './passkey-button.tsx'

/** `forgot` opens it where a new recovery mail is asked for. */
export function LoginScreen({ notice, forgot = false }: { notice: string | null; forgot?: boolean }) {
  const { boot } = useServices()
  const [forgotten, setForgotten] = useState(forgot)
  const [email, setEmail] = useState('')
  if (forgotten) {
    const back = (typed: string) => {
      setEmail(typed)
      setForgotten(false)
    }
    return <ForgotPassword email={email} onBack={back} />
  }
  return (
    <DoorFrame
      title="Admin Dashboard"
      text="Faça login para acessar o painel administrativo"
      footer={
        <a href={boot.siteUrl} className="quiet-link">
          Voltar ao site
        </a>
      }
    >
      {notice ? (
        <MessageBox look="bad" urgent>
          {notice}
        </MessageBox>
      ) : null}
      {boot.secureContext ? null : (
        <MessageBox look="warn">
          Este endereço não usa https, e sem ele o navegador não guarda o login. Abra o painel por https.
        </MessageBox>
      )}
      <LoginForm email={email} onEmail={setEmail} />
      {boot.secureContext && canUsePasskeys() ? <PasskeyButton /> : null}
      <QuietButton className="-mt-2" onClick={() => setForgotten(true)}>
        Esqueci minha senha
      </QuietButton>
    </DoorFrame>
  )
}
