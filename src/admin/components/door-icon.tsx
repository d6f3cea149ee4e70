/** The product's arch as an icon, in the manner of the others. */
export function DoorIcon() {
  return (
    <svg
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d="M5 20v-9a7 7 0 0 1 14 0v9zM2.5 20h19M12 11v5" />
    </svg>
  )
}
