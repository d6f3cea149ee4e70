import * as Dialog from '@radix-ui/react-dialog'
import { X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useUnsavedGuard } from '../lib/use-unsaved-guard.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { OVERLAY, SHEET } from './dialog-style.ts'
import { IconButton } from './icon-button.tsx'
import { useReturnFocus } from './use-return-focus.ts'

const WIDTHS = { md: 'sm:max-w-[28rem]', '2xl': 'sm:max-w-[42rem]' } as const

interface ModalProps {
  title: string
  width: keyof typeof WIDTHS
  /** True when closing would lose what was typed; the person is asked then. */
  dirty: boolean
  onClose: () => void
  children: (close: () => void) => ReactNode
}

/** A form over the page. Escape, the X, a click outside and the back button all come through the same question. */
export function Modal({ title, width, dirty, onClose, children }: ModalProps) {
  const [asking, setAsking] = useState(false)
  const focus = useReturnFocus()
  const close = () => (dirty ? setAsking(true) : onClose())
  useUnsavedGuard(dirty, () => setAsking(true))
  return (
    <Dialog.Root open onOpenChange={(open) => open || close()}>
      <Dialog.Portal>
        <Dialog.Overlay className={OVERLAY} />
        <Dialog.Content
          aria-describedby={undefined}
          {...focus}
          onPointerDownOutside={keepForToasts}
          className={`${SHEET} ${WIDTHS[width]} flex flex-col`}
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
      {asking ? (
        <ConfirmDialog
          title="Descartar as alterações?"
          description="O que você digitou ainda não foi salvo."
          cancelLabel="Continuar editando"
          confirmLabel="Descartar"
          onCancel={() => setAsking(false)}
          onConfirm={onClose}
        />
      ) : null}
    </Dialog.Root>
  )
}

/** A toast lies outside the dialog, yet using it must not close the dialog. */
function keepForToasts(event: CustomEvent<{ originalEvent: PointerEvent }>): void {
  const { target } = event.detail.originalEvent
  if (target instanceof Element && target.closest('[data-sonner-toaster]')) event.preventDefault()
}

export function ModalBody({ children }: { children: ReactNode }) {
  return (
    <div className="grid min-h-0 flex-1 content-start gap-4.5 overflow-y-auto p-5 sm:px-7 sm:py-6">
      {children}
    </div>
  )
}

export function ModalFooter({ children }: { children: ReactNode }) {
  return (
    <footer className="flex flex-none justify-end gap-3 border-t border-line px-5 pt-3 pb-[calc(12px+env(safe-area-inset-bottom))] max-sm:*:flex-1 sm:px-7 sm:py-4">
      {children}
    </footer>
  )
}
