import { Check, Copy, Download } from 'lucide-react'
import { useState } from 'react'
import { Button } from '#admin/components/button.tsx'
import { MessageBox } from '#admin/components/message-box.tsx'
import { Modal, ModalBody, ModalFooter } from '#admin/components/modal.tsx'
import { notifyFailure } from '#admin/components/notify.ts'
import { useCurrentUser } from '#admin/lib/current-user.tsx'
import { useServices } from '#admin/lib/services.tsx'

interface RecoveryCodesModalProps {
  codes: string[]
  /** The second factor has just been switched on. */
  isNew?: boolean
  onClose: () => void
}

/** Shown once: the server keeps only what is needed to recognise them. */
export function RecoveryCodesModal({ codes, isNew = false, onClose }: RecoveryCodesModalProps) {
  const { boot } = useServices()
  const { email } = useCurrentUser()
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(codes.join('\n'))
      setCopied(true)
    } catch {
      notifyFailure('O navegador não deixou copiar. Selecione os códigos e copie com Ctrl+C.', {
        status: 400,
      })
    }
  }
  const download = () =>
    saveAsText(
      'codigos-de-recuperacao.txt',
      `Códigos de recuperação de ${email} em ${boot.brandName}\nCada um serve uma única vez.\n\n${codes.join('\n')}\n`,
    )
  return (
    <Modal
      title={isNew ? 'Verificação ativada' : 'Novos códigos de recuperação'}
      width="md"
      dirty={false}
      onClose={onClose}
    >
      {(close) => (
        <>
          <ModalBody>
            <p className="text-pretty">
              {isNew ? 'Guarde agora seus códigos de recuperação.' : 'Os códigos antigos deixaram de valer.'}{' '}
              Se perder o celular, cada um destes códigos deixa você entrar uma vez.
            </p>
            <ul
              aria-label="Códigos de recuperação"
              className="grid grid-cols-2 gap-x-4 gap-y-2 rounded-1 bg-paper px-4 py-4 text-center font-mono text-[1.0625rem] sm:px-6"
            >
              {codes.map((code) => (
                <li key={code} className="select-all">
                  {code}
                </li>
              ))}
            </ul>
            <div className="flex flex-wrap gap-3 *:flex-1">
              <Button look="outline" onClick={copy}>
                {copied ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />}
                <span aria-live="polite">{copied ? 'Copiado' : 'Copiar'}</span>
              </Button>
              <Button look="outline" onClick={download}>
                <Download aria-hidden="true" />
                Baixar
              </Button>
            </div>
            <MessageBox look="warn">
              Eles não serão mostrados de novo. Guarde-os fora deste computador.
            </MessageBox>
          </ModalBody>
          <ModalFooter>
            <Button onClick={close}>Já guardei</Button>
          </ModalFooter>
        </>
      )}
    </Modal>
  )
}

function saveAsText(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
