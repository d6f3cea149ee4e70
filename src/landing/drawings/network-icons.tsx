export function LinkedinIcon() {
  return (
    <svg width="22" height="22" fill="currentColor" aria-hidden="true">
      <path d="M2 8h4v12H2zm2-6a2 2 0 1 1 0 4 2 2 0 0 1 0-4zm5 6h4v2c2-4 8-3 8 2v8h-4v-7c0-3-4-3-4 0v7H9z" />
    </svg>
  )
}

export function InstagramIcon() {
  return (
    <svg width="22" height="22" fill="none" stroke="currentColor" strokeWidth="2" aria-hidden="true">
      <rect x="2" y="2" width="18" height="18" rx="5" />
      <circle cx="11" cy="11" r="4" />
      <path d="M16 6h.01" />
    </svg>
  )
}
