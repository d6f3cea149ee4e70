import { useState } from 'react'
import { MessageBox } from '#admin/components/message-box.tsx'
import { useServices } from '#admin/lib/services.tsx'
import { DoorFrame, QUIET_LINK } from './door-frame.tsx'
import { ForgotPassword } from './forgot-password.tsx'
import { LoginForm } from './login-form.tsx'

/** `forgot` opens it where a new recovery mail is asked for. */
export function LoginScreen({ notice, forgot = false }: { notice: string | null; forgot?: boolean }) {
  const { boot } = useServices()
  const [forgotten, setForgotten] = useState(forgot)
  if (forgotten) return <ForgotPassword onBack={() => setForgotten(false)} />
  return (
    <DoorFrame
      title="Admin Dashboard"
      text="Faça login para acessar o painel administrativo"
      footer={
        <a href={boot.siteUrl} className={QUIET_LINK}>
          Voltar ao site
        </a>
      }
    >
      {notice ? <MessageBox look="bad">{notice}</MessageBox> : null}
      {boot.secureContext ? null : (
        <MessageBox look="warn">
          Este endereço não usa https, e sem ele o navegador não guarda o login. Abra o painel por https.
        </MessageBox>
      )}
      <LoginForm />
      <button type="button" className={`${QUIET_LINK} -mt-2`} onClick={() => setForgotten(true)}>
        Esqueci minha senha
      </button>
    </DoorFrame>
  )
}
