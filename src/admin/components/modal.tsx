import * as Dialog from '@radix-ui/react-dialog'
import { X } from 'lucide-react'
import { type ComponentProps, type ReactNode, useState } from 'react'
import { cn } from '../lib/cn.ts'
import { useUnsavedGuard } from '../lib/use-unsaved-guard.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { OVERLAY, SHEET } from './dialog-style.ts'
import { IconButton } from './icon-button.tsx'
import { notifyWarning } from './notify.ts'
import { useReturnFocus } from './use-return-focus.ts'

const WIDTHS = { md: 'sm:max-w-[28rem]', '2xl': 'sm:max-w-[42rem]' } as const

interface Question {
  title: string
  description: string
  cancelLabel: string
  confirmLabel: string
}

const DISCARD: Question = {
  title: 'Descartar as alterações?',
  description: 'O que você digitou ainda não foi salvo.',
  cancelLabel: 'Continuar editando',
  confirmLabel: 'Descartar',
}
const INTERRUPT: Question = {
  title: 'Interromper o salvamento?',
  description: 'As alterações estão a caminho do servidor.',
  cancelLabel: 'Continuar salvando',
  confirmLabel: 'Interromper',
}

interface ModalProps {
  title: string
  width: keyof typeof WIDTHS
  /** True when closing would lose what is there; the person is asked then. */
  dirty: boolean
  /** True while what was typed is on its way. Without `onInterrupt` it cannot be called back, and the form stays. */
  saving?: boolean
  onInterrupt?: () => void
  /** What is asked before something is lost. */
  question?: Question
  onClose: () => void
  children: (close: () => void) => ReactNode
}

/** A form over the page. Escape, the X, a click outside and the back button all come through the same question. */
export function Modal(props: ModalProps) {
  const { title, width, dirty, saving = false, onInterrupt, question = DISCARD, onClose, children } = props
  const [asked, setAsked] = useState<'discard' | 'interrupt' | null>(null)
  const focus = useReturnFocus()
  const ask = () => {
    if (!saving) setAsked('discard')
    else if (onInterrupt !== undefined) setAsked('interrupt')
  }
  // A save that is over cannot be interrupted: the question goes, and no other takes its place under the finger.
  if (asked === 'interrupt' && !saving) setAsked(null)
  const close = () => (dirty || saving ? ask() : onClose())
  useUnsavedGuard(dirty || saving, ask)
  const leave = () => {
    if (saving) {
      onInterrupt?.()
      notifyWarning('Salvamento interrompido', {
        description: 'Confira na lista se a alteração chegou a ser feita.',
      })
    }
    onClose()
  }
  return (
    <Dialog.Root open onOpenChange={(open) => open || close()}>
      <Dialog.Portal>
        <Dialog.Overlay data-overlay className={OVERLAY} />
        <Dialog.Content
          aria-describedby={undefined}
          {...focus}
          className={cn(SHEET, WIDTHS[width], 'flex flex-col')}
        >
          <header className="flex flex-none items-center gap-4 border-b border-line py-3.5 pr-3.5 pl-5 sm:pl-7">
            <Dialog.Title className="flex-1 text-xl">{title}</Dialog.Title>
            <Dialog.Close asChild>
              <IconButton label="Fechar">
                <X aria-hidden="true" />
              </IconButton>
            </Dialog.Close>
          </header>
          {children(close)}
        </Dialog.Content>
      </Dialog.Portal>
      {asked === null ? null : (
        <ConfirmDialog
          {...(asked === 'interrupt' ? INTERRUPT : question)}
          onCancel={() => setAsked(null)}
          onConfirm={leave}
        />
      )}
    </Dialog.Root>
  )
}

/** What is between the head and the edge of the sheet: as high as what is in it, and no higher than there is room. */
export function ModalForm(props: Omit<ComponentProps<'form'>, 'className' | 'noValidate'>) {
  return <form {...props} noValidate className="flex min-h-0 flex-auto flex-col" />
}

export function ModalBody({ children }: { children: ReactNode }) {
  return (
    <div className="grid min-h-0 flex-auto content-start gap-4.5 overflow-y-auto p-5 sm:px-7 sm:py-6">
      {children}
    </div>
  )
}

export function ModalFooter({ children }: { children: ReactNode }) {
  return (
    <footer className="flex flex-none flex-wrap justify-end gap-3 border-t border-line px-5 pt-3 pb-[calc(12px+env(safe-area-inset-bottom))] max-sm:*:flex-auto sm:px-7 sm:py-4">
      {children}
    </footer>
  )
}
