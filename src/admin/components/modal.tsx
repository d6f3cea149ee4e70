import * as AlertDialog from '@radix-ui/react-alert-dialog'
import * as Dialog from '@radix-ui/react-dialog'
import { X } from 'lucide-react'
import { type ComponentProps, type FormEvent, type ReactNode, useRef, useState } from 'react'
import { cn } from '../lib/cn.ts'
import { formatMinute } from '../lib/format.ts'
import { useUnsavedGuard } from '../lib/router.tsx'
import { Button, IconButton } from './button.tsx'
import { FailureBox, MessageBox } from './message.tsx'
import { focusPageHeading } from './page-heading.tsx'
import { notifyWarning } from './toast.tsx'

interface Conflict {
  text: string
  /** When the other person saved. */
  savedAt: string
  onReload: () => void
  onOverwrite: () => void
  /** Both versions, side by side. */
  view?: ReactNode
}

interface FormModalProps extends Pick<ModalProps, 'title' | 'width' | 'dirty' | 'onClose'> {
  /** The form's action. The form waits while it runs; `interrupt` cancels it. */
  action?: { isPending: boolean; error: unknown; interrupt?: () => void }
  /** Shown on failure, unless the server gives a reason. */
  failure?: string
  /** Another person saved the same row meanwhile. */
  conflict?: Conflict | null
  /** Label of the button; and while the action runs. */
  submit: string
  submitting?: string
  /** False while there is nothing to submit. */
  isReady?: boolean
  onSubmit: (event: FormEvent) => void
  children: ReactNode
}

/** A form over the page: errors and conflicts above its fields, "Cancelar" and its button below. */
export function FormModal(props: FormModalProps) {
  const { action, failure = '', conflict, submit, submitting = 'Salvando...', isReady = true } = props
  const { onSubmit, children, ...modal } = props
  const isPending = action?.isPending ?? false
  const interrupt = action?.interrupt
  return (
    <Modal
      title={modal.title}
      width={modal.width}
      dirty={modal.dirty}
      onClose={modal.onClose}
      saving={isPending}
      {...(interrupt === undefined ? {} : { onInterrupt: interrupt })}
    >
      {(close) => (
        <ModalForm onSubmit={onSubmit}>
          <ModalBody>
            {conflict ? (
              <ConflictBox {...conflict} />
            ) : (
              <FailureBox error={action?.error ?? null} fallback={failure} />
            )}
            {children}
          </ModalBody>
          <ModalFooter>
            <Button look="outline" onClick={close}>
              Cancelar
            </Button>
            <Button type="submit" pending={isPending || !isReady}>
              {isPending ? submitting : submit}
            </Button>
          </ModalFooter>
        </ModalForm>
      )}
    </Modal>
  )
}

/** Two administrators at once: no work is replaced without a decision. */
function ConflictBox({ text, savedAt, onReload, onOverwrite, view }: Conflict) {
  return (
    <>
      <MessageBox
        look="warn"
        urgent
        advice={`A outra versão foi salva em ${formatMinute(savedAt)}. Suas alterações continuam aqui: escolha qual versão manter.`}
        actions={
          <>
            <Button look="outline" onClick={onReload}>
              Usar a versão salva
            </Button>
            <Button look="outline" onClick={onOverwrite}>
              Salvar a minha versão
            </Button>
          </>
        }
      >
        {text}
      </MessageBox>
      {view}
    </>
  )
}

const WIDTHS = { md: 'sm:max-w-[28rem]', '2xl': 'sm:max-w-[42rem]' } as const

interface Question {
  title: string
  description: string
  cancelLabel: string
  confirmLabel: string
}

const DISCARD: Question = {
  title: 'Descartar as alterações?',
  description: 'O que você digitou não foi salvo e será perdido.',
  cancelLabel: 'Continuar editando',
  confirmLabel: 'Descartar',
}

const INTERRUPT: Question = {
  title: 'Parar de salvar?',
  description: 'Suas alterações estão sendo enviadas. Se você parar agora, elas podem ou não ser salvas.',
  cancelLabel: 'Continuar salvando',
  confirmLabel: 'Parar',
}

interface ModalProps {
  title: string
  width: keyof typeof WIDTHS
  /** True if closing would lose input; the person is asked then. */
  dirty: boolean
  /** True while input is being saved. Without `onInterrupt` it cannot be cancelled, and the form stays. */
  saving?: boolean
  onInterrupt?: () => void
  /** The question before input is lost. */
  question?: Question
  onClose: () => void
  children: (close: () => void) => ReactNode
}

/** A form over the page. Escape, the X, a click outside and the back button all ask the same question. */
export function Modal(props: ModalProps) {
  const { title, width, dirty, saving = false, onInterrupt, question = DISCARD, onClose, children } = props
  const [asked, setAsked] = useState<'discard' | 'interrupt' | null>(null)
  const focus = useReturnFocus()
  const ask = () => {
    if (!saving) setAsked('discard')
    else if (onInterrupt !== undefined) setAsked('interrupt')
  }
  // A finished save cannot be cancelled: the question closes, and no other one takes its place.
  if (asked === 'interrupt' && !saving) setAsked(null)
  const close = () => (dirty || saving ? ask() : onClose())
  useUnsavedGuard(dirty || saving, ask)
  const leave = () => {
    if (saving) {
      onInterrupt?.()
      notifyWarning('Você parou o salvamento', {
        description: 'Confira na lista se a alteração foi salva.',
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

/** Between header and edge of the sheet: as high as its content, up to the available height. */
function ModalForm(props: Omit<ComponentProps<'form'>, 'className' | 'noValidate'>) {
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

interface ConfirmDialogProps {
  title: string
  description: ReactNode
  cancelLabel?: string
  confirmLabel: string
  onCancel: () => void
  onConfirm: () => void
}

/** Asks before something is lost. The safe button has the focus. The text stays as it was when it was asked. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const [{ title, description, cancelLabel = 'Cancelar', confirmLabel }] = useState(props)
  const { onCancel, onConfirm } = props
  const focus = useReturnFocus()
  return (
    <AlertDialog.Root open onOpenChange={(open) => open || onCancel()}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className={OVERLAY} />
        <AlertDialog.Content {...focus} className={`${SHEET} grid gap-2 p-7 sm:max-w-[26.25rem]`}>
          <AlertDialog.Title className="text-xl">{title}</AlertDialog.Title>
          <AlertDialog.Description className="text-pretty wrap-anywhere text-text-2">
            {description}
          </AlertDialog.Description>
          <div className="flex flex-wrap justify-end gap-3 pt-4 max-sm:*:flex-auto">
            <AlertDialog.Cancel asChild>
              <Button look="outline">{cancelLabel}</Button>
            </AlertDialog.Cancel>
            <Button look="danger" onClick={onConfirm}>
              {confirmLabel}
            </Button>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}

export const OVERLAY = 'fixed inset-0 z-20 bg-ink/70 appear-fading'

/**
 * At the bottom edge of a phone, in the middle of larger screens. Its height is its content's: with `fit-content`
 * between two edges, WebKit stretches a grid to both and leaves nothing to a flexible part.
 */
export const SHEET =
  'sheet fixed z-20 inset-x-0 bottom-0 max-h-[calc(100dvh-24px)] rounded-t-2 bg-surface shadow-high appear-rising focus:outline-0 sm:bottom-auto sm:mx-auto sm:w-[calc(100%-32px)] sm:centred sm:max-h-[calc(100dvh-32px)] sm:rounded-2'

/** Where the focus starts: the control that requests it, or the first one of the form, not the X. */
const FIRST_CONTROL =
  'form:has([data-autofocus]) [data-autofocus], form:not(:has([data-autofocus])) input:enabled'

/** Dialogs have no trigger here: focus returns to the earlier element, or to the heading if that is gone. */
export function useReturnFocus() {
  const opener = useRef<Element | null>(null)
  return {
    onOpenAutoFocus: (event: Event) => {
      opener.current = document.activeElement
      const dialog = event.currentTarget
      const first = dialog instanceof Element && dialog.querySelector<HTMLElement>(FIRST_CONTROL)
      if (!first) return
      event.preventDefault()
      first.focus()
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault()
      const target = opener.current
      if (target instanceof HTMLElement && target.isConnected && target !== document.body) target.focus()
      else if (document.activeElement === document.body) focusPageHeading()
    },
  }
}
