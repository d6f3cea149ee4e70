interface DialogHeadProps {
  /** Of the title, for the dialog's name. */
  id: string
  title: string
  text: string
  onClose: () => void
}

export function DialogHead({ id, title, text, onClose }: DialogHeadProps) {
  return (
    <div className="dhead">
      <div>
        <h2 id={id}>{title}</h2>
        <p>{text}</p>
      </div>
      <button type="button" className="icon" aria-label="Fechar" onClick={onClose}>
        <svg width="24" height="24" fill="none" stroke="currentColor" strokeWidth="2" aria-hidden="true">
          <path d="m5 5 14 14M19 5 5 19" />
        </svg>
      </button>
    </div>
  )
}
