import * as AlertDialog from '@radix-ui/react-alert-dialog'
import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { OVERLAY, SHEET } from './dialog-style.ts'
import { useReturnFocus } from './use-return-focus.ts'

interface ConfirmDialogProps {
  title: string
  description: ReactNode
  cancelLabel?: string
  confirmLabel: string
  onCancel: () => void
  onConfirm: () => void
}

/** Asks before something is lost. The safe button has the focus. What is asked stays as it was when it was asked. */
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
