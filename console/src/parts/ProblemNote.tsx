// A failure as the server tells it: what, why, and the id under which its log has it.
import { asProblem } from "../api/problem";
import { Button } from "./Button";
import { Icon } from "./Icon";

export function ProblemNote({ error, retry }: { error: unknown; retry?: () => void }) {
  const problem = asProblem(error);
  return (
    <div className="problem" role="alert">
      <Icon name="alert" size={22} />
      <div>
        <strong>{problem.title}</strong>
        <p>{problem.detail}</p>
        <p className="small">
          <code>{problem.code}</code>
          {problem.requestId && (
            <>
              {" · request "}
              <code>{problem.requestId}</code>
            </>
          )}
        </p>
        {retry && (
          <Button onPress={retry} icon="undo">
            Try again
          </Button>
        )}
      </div>
    </div>
  );
}
