import { Download } from 'lucide-react'
import { Button } from '#admin/components/button.tsx'
import { CopyButton } from '#admin/components/copy-button.tsx'
import { MessageBox } from '#admin/components/message-box.tsx'
import { Modal, ModalBody, ModalFooter } from '#admin/components/modal.tsx'
import { useCurrentUser } from '#admin/lib/current-user.tsx'
import { saveFile } from '#admin/lib/save-file.ts'
import { useServices } from '#admin/lib/services.tsx'

interface RecoveryCodesModalProps {
  codes: string[]
  /** The second factor has just been switched on. */
  isNew?: boolean
  onClose: () => void
}

const QUESTION = {
  title: 'Já guardou os códigos?',
  description: 'Eles não serão mostrados de novo. Sem eles e sem o celular, ninguém entra nesta conta.',
  cancelLabel: 'Voltar aos códigos',
  confirmLabel: 'Fechar sem guardar',
}

/** Shown once: the server keeps only what is needed to recognise them. */
export function RecoveryCodesModal({ codes, isNew = false, onClose }: RecoveryCodesModalProps) {
  const { boot } = useServices()
  const { email } = useCurrentUser()
  const download = () => {
    const text = `Códigos de recuperação de ${email} em ${boot.brandName}\nCada um serve uma única vez.\n\n${codes.join('\n')}\n`
    saveFile(new Blob([text], { type: 'text/plain;charset=utf-8' }), 'codigos-de-recuperacao.txt')
  }
  return (
    <Modal
      title={isNew ? 'Verificação ativada' : 'Novos códigos de recuperação'}
      width="md"
      dirty
      question={QUESTION}
      onClose={onClose}
    >
      {() => (
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
              <CopyButton text={codes.join('\n')} />
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
            <Button onClick={onClose}>Guardei os códigos</Button>
          </ModalFooter>
        </>
      )}
    </Modal>
  )
}
