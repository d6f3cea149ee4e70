import { createContext, type ReactNode, use } from 'react'

export interface CurrentUser {
  id: string
  email: string
}

const CurrentUserContext = createContext<CurrentUser | null>(null)

export function CurrentUserProvider({ user, children }: { user: CurrentUser; children: ReactNode }) {
  return <CurrentUserContext value={user}>{children}</CurrentUserContext>
}

/** Another object once the person has signed in again; null outside the signed-in part of the app. */
export function useSignInMark(): object | null {
  return use(CurrentUserContext)
}

/** Who is signed in; only inside the signed-in part of the app. */
export function useCurrentUser(): CurrentUser {
  const user = use(CurrentUserContext)
  if (user === null) throw new Error('useCurrentUser needs a CurrentUserProvider')
  return user
}
