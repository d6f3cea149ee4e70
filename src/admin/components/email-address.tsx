/** A long address breaks after its at sign before it breaks anywhere else; what is none, like the name of a program, is as it is. */
export function EmailAddress({ value }: { value: string }) {
  const at = value.lastIndexOf('@') + 1
  return (
    <span className="wrap-anywhere">
      {value.slice(0, at)}
      <wbr />
      {value.slice(at)}
    </span>
  )
}
