// Who may come in sees the shell; who may not yet is asked for a key.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useActors } from "../api/actors";
import { useCaller } from "../api/caller";
import { Problem } from "../api/problem";
import { useRefused } from "../api/session";
import { Loading } from "../parts/Loading";
import { ProblemNote } from "../parts/ProblemNote";
import { Shell } from "./Shell";
import { SignIn } from "./SignIn";

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      refetchOnWindowFocus: false,
      // Only what may pass by itself is asked again.
      retry: (times, error) => times < 2 && !(error instanceof Problem && error.status > 0 && error.status < 500),
    },
  },
});

export function App() {
  return (
    <QueryClientProvider client={queries}>
      <Door />
    </QueryClientProvider>
  );
}

function Door() {
  const { data, error, refetch } = useCaller();
  const actors = useActors();
  const refused = useRefused();
  if (refused) return <SignIn refused={refused} open={data !== undefined} />;
  if (data && !actors.isLoading) return <Shell />;
  if (error instanceof Problem && error.status === 401) return <SignIn refused={null} open={false} />;
  if (error instanceof Problem && error.status === 403) return <SignIn refused={error} open={false} />;
  if (error)
    return (
      <main className="door">
        <ProblemNote error={error} retry={() => void refetch()} />
      </main>
    );
  return (
    <main className="door">
      <Loading label="Asking the server who you are" />
    </main>
  );
}
