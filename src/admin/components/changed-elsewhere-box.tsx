import { formatTimestamp } from '../lib/format-date.ts'
import { Button } from './button.tsx'
import { MessageBox } from './message-box.tsx'

interface ChangedElsewhereBoxProps {
  text: string
  /** When the other person saved. */
  savedAt: string
  onReload: () => void
  onOverwrite: () => void
}

/** Two administrators at once: nobody's work is replaced without a decision. */
export function ChangedElsewhereBox({ text, savedAt, onReload, onOverwrite }: ChangedElsewhereBoxProps) {
  return (
    <MessageBox
      look="warn"
      urgent
      advice={`A versão salva é de ${formatTimestamp(savedAt)}. Nada seu foi perdido: escolha como seguir.`}
      actions={
        <>
          <Button look="outline" onClick={onReload}>
            Carregar a versão salva
          </Button>
          <Button look="outline" onClick={onOverwrite}>
            Salvar a minha mesmo assim
          </Button>
        </>
      }
    >
      {text}
    </MessageBox>
  )
}
