import { useState } from 'react'
import { Button } from '#admin/components/button.tsx'
import { ChangePasswordModal } from './change-password-modal.tsx'
import { SectionCard } from './section-card.tsx'

export function PasswordSection() {
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
