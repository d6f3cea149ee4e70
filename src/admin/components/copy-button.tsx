import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { Button } from './button.tsx'

/** Says on itself that it was done; that the browser refused stands beside it, where no dialog hides it. */
export function CopyButton({ text, className }: { text: string; className?: string }) {
  const [copied, setCopied] = useState<string | null>(null)
  const [refused, setRefused] = useState(false)
  const done = copied === text
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(text)
      setRefused(false)
    } catch {
      setRefused(true)
    }
  }
  return (
    <>
      <Button look="outline" onClick={copy} {...(className === undefined ? {} : { className })}>
        {done ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />}
        <span aria-live="polite">{done ? 'Copiado' : 'Copiar'}</span>
      </Button>
      {refused ? (
        <p role="alert" className="order-last flex-[1_0_100%] text-sm text-bad">
          O navegador não deixou copiar. Selecione o texto e copie com Ctrl+C.
        </p>
      ) : null}
    </>
  )
}
